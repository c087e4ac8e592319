# Where geometric skinning fails: the faults that the implicit methods mend.
section "Candy wrapper (EPFL, figure 1)" \
  "A twist by 180 degrees: linear blending averages positions across the axis and the section collapses; dual quaternions keep it."
figure candy-wrapper.png "Twist of a cylinder: lbs above, dqs below." \
  render builtin:cylinder --clip twist --frames 5 --methods lbs,dqs --yaw 0 --size 300x300
figure forearm-twist.png "The same in a forearm." \
  render builtin:arm --clip forearm_twist --frames 5 --methods lbs,dqs --yaw 0 --size 300x220
if shared makehuman_male/makehuman_male.glb; then
  figure wrist-twist.png "The wrist of a body, turned to 180 degrees, coloured by edge stretch." \
    render "$data/makehuman_male/makehuman_male.glb" --clip wrist_l_twist_0_180 --frames 4 --methods lbs,dqs \
    --zoom hand_l --color stretch --size 300x300
fi

section "Self-intersection of a bent limb (EPFL, figure 2; Tracking, figure 2a)" \
  "Bent to 150 degrees, skin passes through skin at the inside of the joint. Red: triangles that intersect."
figure bent-cylinder.png "A cylinder bent to 150 degrees." \
  render builtin:cylinder --clip bend --at 0.4,0.7,1 --methods lbs,dqs --yaw 0 --color intersections --size 320x300
figure bent-cylinder-worst.png "The worst region, close up." \
  render builtin:cylinder --clip bend --at 0.4,0.7,1 --methods lbs,dqs --zoom worst --size 320x300
table "Measured" measure builtin:cylinder --clip bend --frames 7
if shared makehuman_male/makehuman_male.glb; then
  figure elbow.png "Elbow of a body, 0 to 150 degrees." \
    render "$data/makehuman_male/makehuman_male.glb" --clip elbow_l_0_150 --at 0.75,1.1,1.5 --methods lbs,dqs \
    --color intersections --zoom worst --size 320x320
  figure knee.png "Knee, 0 to 150 degrees." \
    render "$data/makehuman_male/makehuman_male.glb" --clip knee_l_0_150 --at 0.75,1.1,1.5 --methods lbs,dqs \
    --color intersections --zoom worst --size 320x320
  figure squat.png "Deep squat: thigh on belly and calf on thigh." \
    render "$data/makehuman_male/makehuman_male.glb" --clip deep_squat --frames 4 --methods lbs,dqs --color intersections \
    --yaw 60 --size 300x340
fi

section "Skin on skin without contact" \
  "Neither method knows that parts can touch: fingers run into the palm, forearms into each other and into the chest."
figure fist.png "A fist of the built-in hand." \
  render builtin:hand --clip fist --frames 5 --methods lbs,dqs --color intersections --size 280x300
if shared hand_webxr/hand_left_poses.glb; then
  figure hand-fist.png "A fist of a real hand." \
    render "$data/hand_webxr/hand_left_poses.glb" --clip fist --frames 4 --methods lbs,dqs --color intersections \
    --yaw 90 --size 300x300
fi
if shared makehuman_male/makehuman_male.glb; then
  figure arms-crossed.png "Arms crossed." \
    render "$data/makehuman_male/makehuman_male.glb" --clip arms_crossed --frames 4 --methods lbs,dqs \
    --color intersections --yaw 0 --size 300x340
  table "Arms crossed, measured" measure "$data/makehuman_male/makehuman_male.glb" --clip arms_crossed --frames 6
fi
