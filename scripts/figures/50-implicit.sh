# Implicit skinning: the EPFL report's figures and its table 1.
section "Candy wrapper and self-intersection (EPFL, figures 1 and 2)" \
  "A cylinder twisted and bent. Linear blending collapses when twisted; both geometric methods fold into themselves when bent. On the implicit skin the radius stays and the fold becomes a contact."
figure implicit-twist.png "Twist: linear blending, dual quaternions, implicit skinning." \
  render builtin:cylinder --clip twist --at 0.5,1.0 --methods lbs,dqs,implicit --yaw 0
figure implicit-bend.png "Bend, close to the fold: intersecting pairs under each picture." \
  render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods lbs,dqs,implicit --yaw 0 --zoom worst

section "Initial guess (EPFL, figure 23)" \
  "The projection from linear blending and from dual quaternions. Both end in the same crease inside. On the back of a sharp bend the parts leave a void: dual quaternions say where the skin was, linear blending has lost it, and the back is flat."
figure implicit-initial-lbs.png "From linear blending." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --initial lbs --yaw 0
figure implicit-initial-dqs.png "From dual quaternions." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --yaw 0

section "Mean value coordinates (EPFL, figure 13)" \
  "A vertex v as the weighted mean of its ring, in its rest tangent plane: the weight of u_j is (tan(a_(j-1)/2) + tan(a_j/2)) / r_j. The papers' relaxation (--contact operator) draws a vertex to that mean; own-side contact slides by conjugate gradients instead."
cat >>"$page" <<'SVG'
<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 300" width="420" font-family="sans-serif" font-size="15">
<g fill="none" stroke="#888"><path d="M210 150L340 90M210 150L300 250M210 150L130 255M210 150L70 140M210 150L160 45M340 90L300 250L130 255L70 140L160 45Z"/></g>
<path d="M250 131A44 44 0 0 1 240 183" fill="none" stroke="#c33"/><path d="M233 176A34 34 0 0 1 189 177" fill="none" stroke="#36c"/>
<g fill="#222"><circle cx="210" cy="150" r="4"/><circle cx="340" cy="90" r="3"/><circle cx="300" cy="250" r="3"/><circle cx="130" cy="255" r="3"/><circle cx="70" cy="140" r="3"/><circle cx="160" cy="45" r="3"/>
<text x="192" y="142">v</text><text x="346" y="88">u<tspan dy="4" font-size="11">j-1</tspan></text><text x="306" y="264">u<tspan dy="4" font-size="11">j</tspan></text><text x="106" y="272">u<tspan dy="4" font-size="11">j+1</tspan></text>
<text x="268" y="205">r<tspan dy="4" font-size="11">j</tspan></text></g><text x="256" y="165" fill="#c33">a<tspan dy="4" font-size="11">j-1</tspan></text><text x="203" y="203" fill="#36c">a<tspan dy="4" font-size="11">j</tspan></text>
</svg><figcaption>Angles and distances at a vertex.</figcaption></figure>
SVG

section "Smoothing around contact (EPFL, figure 14)" \
  "Vertices in contact (red) are smoothed with their neighbourhood, and stay there: fitted once more they fold again."
figure implicit-contact.png "Vertices in contact." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --color contact --yaw 0

section "Reach of the fields (EPFL, figure 24)" \
  "The blend with supports of one, one and a half and two thicknesses. The inner side of the bend is rounded out, the more the wider the support; the back is the same in all three, and as the union has it."
figure implicit-support-union.png "The union: a crease." \
  render builtin:cylinder --clip bend --at 0.35,0.5 --methods implicit --yaw 0
for factor in 1 1.5 2; do
  printf '{"fields": {"support_factor": %s}}\n' "$factor" >"$out/support-$factor.json"
  figure "implicit-support-$factor.png" "The blend, supports of $factor thicknesses." \
    render builtin:cylinder --clip bend --at 0.35,0.5 --methods implicit --operator blend -p "$out/support-$factor.json" --yaw 0
done

section "The bulge inside a finger, and none on its back (EPFL, figures 12, 21 and 25)" \
  "The index finger of the built-in hand, 12,000 vertices, fields that reach two thicknesses. The union has a sharp crease on the inner side of the middle joint; the blend, opened wide, fills it with a round bulge. The silhouette on the back is the same in both: the weight of the blend follows the direction in which the bone has swung."
figure implicit-bulge-union.png "The union: a crease inside." \
  render builtin:hand:12000 --clip fist --at 0.6,0.65,0.7 --methods implicit -p "$out/support-2.json" --zoom index_2 --yaw 75 --pitch -15
figure implicit-bulge-blend.png "The blend: a bulge inside, the back as before." \
  render builtin:hand:12000 --clip fist --at 0.6,0.65,0.7 --methods implicit --operator blend --opening hip -p "$out/support-2.json" --zoom index_2 --yaw 75 --pitch -15

if shared hand_webxr/hand_left_poses.glb; then
  hand=$data/hand_webxr/hand_left_poses.glb
  section "A finger bends (EPFL, figures 3 and 12)" \
    "The index finger. The union keeps its thickness and makes a crease on the inner side; dual quaternions pinch it there and swell on the back. The blend fills the crease, a soft bulge inside the finger, and leaves the knuckle on the back as the union has it, because its weight follows the direction in which the bone has swung. In the papers' composed field the blend opens with the angle of the gradients, all around the joint."
  figure implicit-finger.png "Linear blending, dual quaternions, implicit skinning with the union." \
    render "$hand" --clip index_curl --at 0.6,0.9,1.2 --methods lbs,dqs,implicit --yaw 180 --zoom index-finger-phalanx-intermediate
  figure implicit-finger-blend.png "The blend on the inner side." \
    render "$hand" --clip index_curl --at 0.6,0.9,1.2 --methods implicit --operator blend --yaw 180 --zoom index-finger-phalanx-intermediate
  figure implicit-finger-blend-composed.png "The blend by the angle of the gradients." \
    render "$hand" --clip index_curl --at 0.6,0.9,1.2 --methods implicit --operator blend --contact operator --yaw 180 --zoom index-finger-phalanx-intermediate
  figure implicit-finger-spheres.png "Fields of spheres instead of HRBF (figures 20 to 22)." \
    render "$hand" --clip index_curl --at 0.6,0.9,1.2 --methods implicit --operator blend --fields spheres --yaw 180 --zoom index-finger-phalanx-intermediate
  section "Parts of the hand (EPFL, figure 18)" "Each vertex belongs to the bone with its largest weight."
  figure implicit-parts.png "Parts." render "$hand" --color part --yaw 90
  section "The whole hand (EPFL, figures 20 and 22)" "Fist, hook grip and pinch, dual quaternions above, implicit skinning below. In the fist, fingers that the pose drives through the thumb and the palm end on them: joints turn back as far as skin does not give way."
  for clip in fist hook_grip pinch; do
    figure "implicit-hand-$clip.png" "$clip" render "$hand" --clip "$clip" --frames 5 --methods dqs,implicit --yaw 90
    table "$clip, 12 frames" measure "$hand" --clip "$clip" --methods dqs,implicit --frames 12
  done
fi

section "Time (EPFL, table 1)" \
  "The report's C++ took 13 ms for 3,045 vertices and 55 ms for 12,125, union only and not converged. Here, one core: the row 'ms a frame', built-in hands of 3,070 and 11,606 vertices that make a fist, converged; cutis bench implicit repeats each and gives the median."
for vertices in 3000 12000; do
  for fields in hrbf spheres; do
    for operator in union blend; do
      table "hand of $vertices vertices, $fields, $operator" measure "builtin:hand:$vertices" --clip fist --methods dqs,implicit --frames 12 --threads 1 --fields "$fields" --operator "$operator"
    done
  done
done
