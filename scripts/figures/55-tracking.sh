# Iso-surface tracking beside dual quaternions: folds, twist, a squat, contact.
section "Tracking (figures 2, 3, 7, 8, 9, 11, 14, table 1)" \
  "The skin follows the moving fields. Above dual quaternion skinning, below tracking; states: grey rigid, blue on its surface, green in contact."
figure tracking-cylinder.png "A cylinder bent to 150 degrees and back." \
  render builtin:cylinder --clip bend --methods dqs,tracking --frames 5 --yaw 0
figure tracking-cylinder-states.png "Where it is in contact." \
  render builtin:cylinder --clip bend --methods tracking --at 0.6,0.8,1.0 --color contact --wireframe --yaw 60
for turn in rigid smooth smoother; do
  figure tracking-turn-$turn.png "Figure 8: target rotations blended by $turn weights; colour is stretch." \
    render builtin:cylinder --clip bend --methods tracking --at 0.3,0.6,1.0 --turn $turn --color stretch --yaw 0
done
table "Table 1: a cylinder to 150 degrees and back, time and quality" \
  measure builtin:cylinder --clip bend --methods dqs,tracking --frames 30 --no-contact-pass
table "Differences between histories" \
  measure builtin:arm --clip elbow --methods tracking --history playback,stateless,canonical --frames 16
if shared makehuman_male/makehuman_male.glb; then
  body=$data/makehuman_male/makehuman_male.glb
  figure tracking-elbow.png "Elbow to 150 degrees." \
    render "$body" --clip elbow_l_0_150 --methods dqs,tracking --frames 4 --zoom lowerarm_l --yaw 10 --pitch 30
  figure tracking-knee.png "Knee to 150 degrees." \
    render "$body" --clip knee_l_0_150 --methods dqs,tracking --frames 4 --zoom calf_l --yaw 120
  figure tracking-squat.png "A deep squat." \
    render "$body" --clip deep_squat --methods dqs,tracking --frames 4 --yaw 40
  figure tracking-belly.png "An arm across the belly." \
    render "$body" --clip arm_l_across_belly --methods dqs,tracking --at 0.9,1.5 --yaw 30
fi
