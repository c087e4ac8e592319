// ONE POINT in a cell of a grid that has distances and slopes at its nodes. No guard: kernels/eval_field.h includes it
// once, packs of points once per instruction set. N is a number, or several; CUTIS_RULE what functions are declared
// with.
//
// Each corner c predicts d_c + g_c.(p - p_c)/2; the trilinear blend of these is exact for quadratic functions
// (trilinear values are too high by what the blended tangent planes are too low), continuous, third order, and its
// own derivative is as cheap. With L the trilinear blend of the nodes' numbers (v and half slopes h) and D its
// differences along the axes, the sum over the corners is
//   L(v) - x(1-x) Dx(hx) - y(1-y) Dy(hy) - z(1-z) Dz(hz).

/// The trilinear blend of one of a node's numbers, and the differences of that along the axes and pairs of axes.
template <class N>
struct CellBlend {
  N all, dx, dy, dz, dxy, dxz, dyz;
};

/// `n`: at the eight corners, x fastest; x, y, z: where in the cell. Along z at the four corners of the cell's side,
/// then along y at two; written out, not in loops, which -O2 keeps.
template <class N>
CUTIS_RULE CellBlend<N> blend_cell(const N (&n)[8], N x, N y, N z) {
  const N za = n[4] - n[0], zb = n[5] - n[1], zc = n[6] - n[2], zd = n[7] - n[3];
  const N a = n[0] + z * za, b = n[1] + z * zb, c = n[2] + z * zc, d = n[3] + z * zd;
  const N y0 = c - a, y1 = d - b, yz0 = zc - za, yz1 = zd - zb;
  const N at0 = a + y * y0, at1 = b + y * y1, z0 = za + y * yz0, z1 = zb + y * yz1;
  const N dx = at1 - at0, dxy = y1 - y0, dxz = z1 - z0;
  return {at0 + x * dx, dx, y0 + x * dxy, z0 + x * dxz, dxy, dxz, yz0 + x * (yz1 - yz0)};
}

template <class N>
struct CellSample {
  N value, dx, dy, dz;
};

/// `f`, `gx`, `gy`, `gz`: of the nodes' values and half slopes, which count `value_step` and `slope_step`.
template <class N>
CUTIS_RULE CellSample<N> cell_sample(const CellBlend<N>& f, const CellBlend<N>& gx, const CellBlend<N>& gy,
                                     const CellBlend<N>& gz, N x, N y, N z, N value_step, N slope_step) {
  const N xx = x * (1.0F - x), yy = y * (1.0F - y), zz = z * (1.0F - z);
  return {value_step * f.all - slope_step * (xx * gx.dx + yy * gy.dy + zz * gz.dz),
          value_step * f.dx - slope_step * ((1.0F - 2.0F * x) * gx.dx + yy * gy.dxy + zz * gz.dxz),
          value_step * f.dy - slope_step * ((1.0F - 2.0F * y) * gy.dy + xx * gx.dxy + zz * gz.dyz),
          value_step * f.dz - slope_step * ((1.0F - 2.0F * z) * gz.dz + xx * gx.dxz + yy * gy.dyz)};
}
