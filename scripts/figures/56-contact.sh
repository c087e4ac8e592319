# Contact between any two parts: Vaillant et al. 2014, figures 1 (right), 11 (d) and 14, and what they leave open.
section "Contact: a knee bent as far as it goes (figure 1, right)" \
  "Implicit skinning cannot part skins that lie deep in each other; tracked skin folds and touches."
figure contact-knee.png "Implicit skinning above, tracking with contact below." \
  render builtin:human --clip squat --methods implicit,tracking --at 0.6,0.9,1.2 --yaw 100 --size 420x420

section "Contact: belly and legs (figure 11 d)" \
  "Belly and thighs press each other flat and touch; what they lose comes out around the contact (--swell)."
figure contact-squat.png "Dual quaternions above, tracking below; red triangles intersect." \
  render builtin:human --clip squat --methods dqs,tracking --at 0.8,1.2 --color intersections --yaw 60 --size 420x420
figure contact-squat-state.png "Where skin touches." \
  render builtin:human --clip squat --methods tracking --at 0.8,1.2 --color contact --yaw 60 --size 420x420

section "Contact: an arm across the belly (figure 14)" \
  "The arm collides too deeply for implicit skinning; with contact the belly yields."
figure contact-belly.png "Implicit skinning above, tracking below; red triangles intersect." \
  render builtin:human --clip arm_across_belly --methods implicit,tracking --at 0.9,1.3 --color intersections --yaw 20 --size 420x420

section "Contact: a fist" "Fingers on the palm, the thumb on the fingers; from four sides."
for yaw in 0 90 180 270; do
  figure contact-fist-$yaw.png "From $yaw degrees: dual quaternions, tracking; red triangles intersect." \
    render builtin:hand --clip fist --methods dqs,tracking --at 0.7,1.0 --color intersections --yaw $yaw --size 360x360
done

section "Contact: arms crossed" \
  "The motion takes the hands through each other. Relief looks ahead and leads one arm around the other."
figure contact-arms.png "Dual quaternions above, tracking with contact below; red triangles intersect." \
  render builtin:human --clip arms_crossed --methods dqs,tracking --frames 7 --color intersections --yaw 15 --size 360x360

if shared makehuman_male/makehuman_male.glb; then
  body=$data/makehuman_male/makehuman_male.glb
  section "Contact: MakeHuman" "The worst frames of the clips that contact is judged by, from two sides."
  for yaw in 40 140; do
    figure contact-mh-squat-$yaw.png "Deep squat." render "$body" --clip deep_squat --methods dqs,tracking --at 1.2,1.5 --yaw $yaw --size 420x420
    figure contact-mh-fist-$yaw.png "Fist." render "$body" --clip fist_l --methods dqs,tracking --at 1.0,1.5 --zoom hand_l --yaw $yaw --size 420x420
    figure contact-mh-belly-$yaw.png "Arm across the belly." render "$body" --clip arm_l_across_belly --methods dqs,tracking --at 1.0,1.5 --yaw $yaw --size 420x420
    figure contact-mh-arms-$yaw.png "Arms crossed." render "$body" --clip arms_crossed --methods dqs,tracking --at 0.75,1.5 --yaw $yaw --size 420x420
  done
fi
