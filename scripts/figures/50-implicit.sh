# Implicit skinning: the EPFL report's figures and its table 1.
section "Candy wrapper and self-intersection (EPFL, figures 1 and 2)" \
  "A cylinder twisted and bent. Linear blending collapses when twisted; both geometric methods fold into themselves when bent. On the implicit skin the radius stays and the fold becomes a contact."
figure implicit-twist.png "Twist: linear blending, dual quaternions, implicit skinning." \
  render builtin:cylinder --clip twist --at 0.5,1.0 --methods lbs,dqs,implicit --yaw 0
figure implicit-bend.png "Bend, close to the fold: intersecting pairs under each picture." \
  render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods lbs,dqs,implicit --yaw 0 --zoom worst

section "Initial guess (EPFL, figure 23)" \
  "The projection from linear blending and from dual quaternions."
figure implicit-initial-lbs.png "From linear blending." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --initial lbs --yaw 0
figure implicit-initial-dqs.png "From dual quaternions." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --yaw 0

section "Smoothing around contact (EPFL, figure 14)" \
  "Vertices in contact (red) are smoothed with their neighbourhood and fitted once more."
figure implicit-contact.png "Vertices in contact." render builtin:cylinder --clip bend --at 0.45,0.65,0.9 --methods implicit --color contact --yaw 0

if shared hand_webxr/hand_left_poses.glb; then
  hand=$data/hand_webxr/hand_left_poses.glb
  section "A finger bends (EPFL, figures 3, 12, 21 and 25)" \
    "The index finger. The union keeps its thickness and makes a crease; the blend fills the inner side of the bend and leaves the back as it is, because its weight follows the direction in which the bone has swung. In the papers' composed field the blend opens with the angle of the gradients, all around the joint."
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
  section "The whole hand (EPFL, figures 20 and 22)" "Fist, hook grip and pinch, dual quaternions above, implicit skinning below."
  for clip in fist hook_grip pinch; do
    figure "implicit-hand-$clip.png" "$clip" render "$hand" --clip "$clip" --frames 5 --methods dqs,implicit --yaw 90
    table "$clip, 12 frames" measure "$hand" --clip "$clip" --methods dqs,implicit --frames 12
  done
fi

section "Time (EPFL, table 1)" \
  "The report's C++ took 13 ms for 3,045 vertices and 55 ms for 12,125, union only and not converged. Here, one core, a fist: the row 'ms a frame'."
for fields in hrbf spheres; do
  for operator in union blend; do
    table "builtin:hand, $fields, $operator" measure builtin:hand --clip fist --methods dqs,implicit --frames 12 --threads 1 --fields "$fields" --operator "$operator"
  done
done
