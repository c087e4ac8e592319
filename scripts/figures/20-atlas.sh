# Automatic weights from an atlas of regions: Lu, Hétroy, Gérot, Thibert 2008.
atlas() { # NAME INPUT arguments...: the input with atlas weights, as $out/NAME.glb
  local name=$1 input=$2; shift 2
  "$cutis" weights "$input" --method atlas "$@" -o "$out/$name.glb" --quiet
}
atlas atlas-hand builtin:hand
atlas atlas-human builtin:human --symmetric

section "Atlas: where joints are cut (Lu, figures 1 and 2)" \
  "A plane through every joint, the shortest closed curve around it; the pieces between the curves are the parts, coloured by bone. No weights of the file are used."
figure atlas-human-parts.png "The built-in human." render "$out/atlas-human.glb" --color part --yaw 20 --size 420x520
figure atlas-human-parts-back.png "From behind." render "$out/atlas-human.glb" --color part --yaw 200 --size 420x520
if shared makehuman_male/makehuman_male.glb; then
  atlas atlas-body "$data/makehuman_male/makehuman_male.glb" --symmetric
  figure atlas-body-parts.png "A realistic body: its parts by the atlas." \
    render "$out/atlas-body.glb" --color part --yaw 20 --size 420x520
  figure atlas-body-artist.png "The same body: the parts of its artist." \
    render "$data/makehuman_male/makehuman_male.glb" --color part --yaw 20 --size 420x520
fi

section "Atlas: regions of a hand and where they overlap (Lu, figures 3 to 5)" \
  "Left to itself each phalanx is a part; across every cut the weights go over by the cubic of the distance along the surface."
figure atlas-hand-parts.png "Parts of the hand." render "$out/atlas-hand.glb" --color part --yaw 0 --size 420x460
figure atlas-hand-overlap.png "All weights, in the colours of the parts: they mix where regions overlap." \
  render "$out/atlas-hand.glb" --color weights --yaw 0 --size 420x460
figure atlas-hand-bone.png "The weight of one bone, the middle phalanx of the index finger: its neighbours get none." \
  render "$out/atlas-hand.glb" --color weights --bone index_2 --yaw 0 --size 420x460
figure atlas-pelvis.png "The weight of the hips, where three and four regions meet." \
  render "$out/atlas-human.glb" --color weights --bone hips --yaw 20 --size 420x520

section "Atlas: deformed with LBS (Lu, figures 6 to 8)" \
  "The weights need no touching up; what linear blending loses at strong bends (figure 8) it still loses."
figure atlas-hand-fist.png "The hand closes." \
  render "$out/atlas-hand.glb" --clip fist --at 0,0.35,0.65,1 --methods lbs --yaw 0 --size 300x320
figure atlas-human-walk.png "The human walks." \
  render "$out/atlas-human.glb" --clip walk --frames 4 --methods lbs --yaw 50 --size 280x360
atlas atlas-arm builtin:arm
figure atlas-collapse.png "Figure 8: at a strong bend the elbow collapses with LBS; DQS keeps more of it." \
  render "$out/atlas-arm.glb" --clip elbow --at 0.4,0.7,1 --methods lbs,dqs --yaw 0 --size 320x260
if [ -e "$out/atlas-body.glb" ]; then
  for clip in elbow_l_0_150 knee_l_0_150 fist_l; do
    figure "atlas-body-$clip.png" "$clip with the weights of the atlas." \
      render "$out/atlas-body.glb" --clip "$clip" --frames 4 --methods lbs --zoom worst --size 300x300
    table "$clip, weights of the artist" measure "$data/makehuman_male/makehuman_male.glb" --clip "$clip" --frames 7 --methods lbs
    table "$clip, weights of the atlas" measure "$out/atlas-body.glb" --clip "$clip" --frames 7 --methods lbs
  done
fi
