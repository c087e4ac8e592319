"""Line plots as SVG: x and y by name of the line."""
import html

COLORS = ["#3a6fc4", "#d4742c", "#3c8a4b", "#9b4fc0", "#b8342a", "#777"]


def plot(lines, x_label, y_label, width=560, height=320):
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    x0, x1, y0, y1 = min(xs), max(xs), min(0, *ys), max(ys)
    left, right, top, bottom = 60, 20, 24, 44
    sx = (width - left - right) / ((x1 - x0) or 1)
    sy = (height - top - bottom) / ((y1 - y0) or 1)
    at = lambda x, y: f"{left + (x - x0) * sx:.1f},{height - bottom - (y - y0) * sy:.1f}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for k in range(6):
        x, y = x0 + (x1 - x0) * k / 5, y0 + (y1 - y0) * k / 5
        out.append(f'<path d="M{at(x, y0)}L{at(x, y1)}M{at(x0, y)}L{at(x1, y)}" stroke="#e6e6e6"/>')
        px, py = at(x, y0).split(",")
        out.append(f'<text x="{px}" y="{float(py) + 16}" text-anchor="middle">{x:.3g}</text>')
        px, py = at(x0, y).split(",")
        out.append(f'<text x="{float(px) - 6}" y="{float(py) + 4}" text-anchor="end">{y:.3g}</text>')
    for i, (name, points) in enumerate(lines.items()):
        color = COLORS[i % len(COLORS)]
        out.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{" ".join(at(x, y) for x, y in points)}"/>')
        out.append(f'<text x="{left + 10 + 110 * i}" y="15" fill="{color}">{html.escape(name)}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">{html.escape(x_label)}</text>')
    out.append(f'<text transform="translate(14 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_label)}</text>')
    return "".join(out) + "</svg>"
