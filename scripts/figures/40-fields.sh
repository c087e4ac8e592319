# The implicit skin: iso-lines of the composed field in poses, and its surface at rest.
section "The implicit skin of an elbow (Tracking, figures 3 and 5)" \
  "Iso-lines in the plane of the bend: outside blue, skin grey, inside red. Up to 90 degrees the two parts make one skin; then the contact surface (green) grows from the crease towards the joint."
if shared makehuman_male/makehuman_male.glb; then
  figure fields-elbow.png "Elbow at 0, 45, 90, 120 and 150 degrees." \
    fields "$data/makehuman_male/makehuman_male.glb" --slice lowerarm_l --clip elbow_l_0_150 --at 0,0.45,0.9,1.2,1.5 --width 0.42
fi

section "Bulge in contact at a finger (Tracking, figures 6 and 13)" \
  "The same finger with the contact operator, and with the bulge operator at its two outer joints: contact begins at small angles and the skin swells beside it."
if shared hand_webxr/hand_left_poses.glb; then
  printf '%s\n' '{"joints": {' \
    '"index-finger-phalanx-intermediate": {"operator": "bulge", "controller": "finger"},' \
    '"index-finger-phalanx-distal": {"operator": "bulge", "controller": "finger"}}}' >"$out/bulge.json"
  hand=$data/hand_webxr/hand_left_poses.glb
  figure fields-finger-contact.png "Contact operator." \
    fields "$hand" --slice index-finger-phalanx-intermediate --clip index_curl --at 0,0.4,0.8,1.1 --width 0.09
  figure fields-finger-bulge.png "Bulge operator." \
    fields "$hand" -p "$out/bulge.json" --slice index-finger-phalanx-intermediate --clip index_curl --at 0,0.4,0.8,1.1 --width 0.09
  figure fields-finger-palm.png "Parts that are no neighbours: the finger tip touches the palm in a fist." \
    fields "$hand" --slice middle-finger-phalanx-intermediate --clip fist --at 0.8,1.2,1.4,1.5
fi
if shared makehuman_male/makehuman_male.glb; then
  figure fields-belly.png "Forearm and belly: seen from above, the arm comes across." \
    fields "$data/makehuman_male/makehuman_male.glb" --slice y=1.02 --clip arm_l_across_belly --at 1.1,1.3,1.5 --width 0.9
fi

section "The skin at rest beside the mesh" "The 0.5 surface of the composed field, extracted, and the mesh it was made from."
for file in makehuman_male/makehuman_male.glb hand_webxr/hand_left_poses.glb fox/fox.glb cesium_man/cesium_man.glb; do
  shared "$file" || continue
  name=$(basename "$file" .glb)
  "$cutis" fields "$data/$file" --iso "$out/fields-$name.ply" --quiet
  figure "fields-$name-mesh.png" "$name: the mesh." render "$data/$file"
  figure "fields-$name-skin.png" "$name: the 0.5 surface." render "$out/fields-$name.ply"
done
