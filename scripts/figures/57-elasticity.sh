# Painted regions, targets and muscles.
section "Elasticity (Tracking, figure 10)" \
  "What a preset paints on the skin: where it does not slide, where it is drawn to, and where it swells."
presets=$here/../examples/presets
figure elasticity-soft.png "A cylinder bends; colour is stretch." \
  render builtin:cylinder --clip bend --methods tracking --at 0.3,0.6,1.0 --color stretch --yaw 0
figure elasticity-stiff.png "The same with a rigid sleeve on its upper half: the skin beside it stretches more." \
  render builtin:cylinder --clip bend --methods tracking --at 0.3,0.6,1.0 --color stretch --yaw 0 -p "$presets/cylinder_stiff.json"
figure elasticity-target.png "A key-framed target draws the skin to the right and up, then lets it go." \
  render builtin:cylinder --clip twist --methods tracking --at 0,0.3,0.6,0.9,1.2 --wireframe --yaw 20 -p "$presets/cylinder_target.json"
figure elasticity-arm.png "An arm without a muscle." \
  render builtin:arm --clip elbow --methods tracking --at 0.3,0.6,0.8,1.0 --zoom forearm --yaw 0 --pitch 5
figure elasticity-arm-biceps.png "With a biceps that the elbow drives: the forearm comes to lie on it." \
  render builtin:arm --clip elbow --methods tracking --at 0.3,0.6,0.8,1.0 --zoom forearm --yaw 0 --pitch 5 -p "$presets/arm_biceps.json"
if shared makehuman_male/makehuman_male.glb; then
  body=$data/makehuman_male/makehuman_male.glb
  "$cutis" bind "$body" --biceps --write-preset "$out/biceps.json" --quiet
  figure elasticity-body.png "MakeHuman without a biceps." \
    render "$body" --clip elbow_l_0_150 --methods tracking --at 0.3,0.75,1.1,1.45 --zoom lowerarm_l --yaw 75
  figure elasticity-body-biceps.png "With the one that 'cutis bind --biceps' makes." \
    render "$body" --clip elbow_l_0_150 --methods tracking --at 0.3,0.75,1.1,1.45 --zoom lowerarm_l --yaw 75 -p "$out/biceps.json"
fi
