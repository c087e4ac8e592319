# The beauty sheet, a page of its own: every character, each clip at the moment where methods differ most, large.
beauty=$out/beauty.html.tmp
cat >"$beauty" <<'HTML'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Cutis: beauty sheet</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:1900px;margin:2rem auto;padding:0 1rem;color:#222;background:#fbfaf8}
figure{margin:1.2rem 0}img{max-width:100%;border-radius:6px}figcaption{color:#555;font-size:.92rem}code{background:#f0ece6;padding:.1rem .3rem}
</style></head><body>
<h1>Beauty sheet</h1>
<p>Linear blending, dual quaternions, implicit skinning and tracking with contact, at the frame of each clip (of nine) in which they differ most,
around the place where they do. Under each picture: intersecting pairs, folds, roughness in degrees, scars, longest edge over its rest length, change
of volume (docs/algorithms/metrics.md).</p>
HTML

# sheet NAME FILE CLIP [more cutis-arguments...]; zoom: where it looks, else where methods differ
sheet() {
  local name=beauty-$1.png file=$2 clip=$3; shift 3
  echo "  $name"
  local arguments=(render "$file" --methods "lbs,dqs,implicit,tracking" --frames 9 --pick 1 --zoom "${zoom:-differ}" --numbers --size 460x460)
  [ -n "$clip" ] && arguments+=(--clip "$clip")
  arguments+=("$@")
  "$cutis" "${arguments[@]}" -o "$out/$name" --quiet
  local shown="${arguments[*]}"
  printf '<figure><img src="%s" alt="%s %s"><figcaption><code>cutis %s -o %s</code></figcaption></figure>\n' \
    "$name" "$(escape "${file##*/}")" "$(escape "$clip")" "$(escape "${shown//$data\//}")" "$name" >>"$beauty"
  count=$((count + 1))
}

sheet cylinder-bend builtin:cylinder bend --yaw 0
sheet cylinder-twist builtin:cylinder twist --yaw 0
sheet arm-elbow builtin:arm elbow --yaw 0
sheet arm-forearm-twist builtin:arm forearm_twist --yaw 0
sheet hand-fist builtin:hand fist
sheet human-walk builtin:human walk
sheet human-squat builtin:human squat
sheet human-arms-crossed builtin:human arms_crossed
sheet human-belly builtin:human arm_across_belly
sheet human-fist builtin:human fist
sheet human-wave builtin:human wave
if shared makehuman_male/makehuman_male.glb; then
  for clip in elbow_l_0_150 knee_l_0_150 fist_l index_l_curl arm_l_across_belly arms_crossed arm_l_down_at_side arm_l_raise_overhead \
    wrist_l_twist_0_180 forearm_l_twist_pm90 spine_neck_twist_pm105 spine_bend_forward_85 deep_squat cmu_02_01_walk; do
    sheet "makehuman-$clip" "$data/makehuman_male/makehuman_male.glb" $clip
  done
  # The simplest picture of all: an arm that is straightened past its rest bend.
  zoom=lowerarm_l sheet makehuman-straight-elbow "$data/makehuman_male/makehuman_male.glb" elbow_l_0_150 --at 0
  sheet makehuman-hires-elbow "$data/makehuman_male/makehuman_male_hires.glb" elbow_l_0_150
fi
if shared hand_webxr/hand_left_poses.glb; then
  for clip in fist index_curl pinch hook_grip spread finger_wave; do
    sheet "webxr-$clip" "$data/hand_webxr/hand_left_poses.glb" $clip
  done
fi
shared cesium_man/cesium_man.glb && sheet cesium_man "$data/cesium_man/cesium_man.glb" ""
if shared fox/fox.glb; then
  for clip in Survey Walk Run; do sheet "fox-$clip" "$data/fox/fox.glb" $clip; done
fi
shared rigged_figure/rigged_figure.glb && sheet rigged_figure "$data/rigged_figure/rigged_figure.glb" ""
shared rigged_simple/rigged_simple.glb && sheet rigged_simple "$data/rigged_simple/rigged_simple.glb" ""
shared simple_skin/simple_skin.gltf && sheet simple_skin "$data/simple_skin/simple_skin.gltf" "" --yaw 0
if shared avatars/rocketbox_male.glb; then
  sheet rocketbox-crouch "$data/avatars/rocketbox_male.glb" crouch_in
  sheet rocketbox-stretch "$data/avatars/rocketbox_male.glb" stretch_arms
  sheet astronaut-duck "$data/avatars/astronaut_draco.glb" Duck
  sheet lumberjack-walk "$data/avatars/lumberjack.glb" Walk
  sheet platformer-duck "$data/avatars/platformer_character.glb" "CharacterArmature|Duck"
  # Not wasp_nan_weights.glb: its weights are not numbers, and it is refused.
  sheet robot-dance "$data/avatars/robot_expressive.glb" Dance
  sheet spider-walk "$data/avatars/spider.glb" "SpiderArmature|Spider_Walk"
  sheet rabbit-vrm "$data/avatars/rabbit.vrm" random:1
  sheet rabbit-fbx "$data/avatars/rabbit.fbx" random:1
fi
echo '</body></html>' >>"$beauty"
mv "$beauty" "$out/beauty.html"
section "Beauty sheet" "All characters, large, all methods at the moments where they differ, with numbers: a page of its own."
printf '<p><a href="beauty.html">beauty.html</a></p>\n' >>"$page"
