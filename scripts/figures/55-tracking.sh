# Iso-surface tracking: Vaillant et al. 2014, on our characters.
section "Tracking: one joint (figure 2)" \
  "A cylinder bent to 150 degrees. Dual quaternions bulge at the back and pass through themselves, implicit skinning mends that up to about a right angle, tracking folds the skin and keeps it apart at any angle."
figure tracking-cylinder.png "Dual quaternions, implicit skinning, tracking; from 60 to 150 degrees." \
  render builtin:cylinder --clip bend --methods dqs,implicit,tracking --at 0.4,0.6,0.8,1.0 --yaw 0

section "Tracking: from parts to the skin that follows (figure 3)" \
  "Each part has a field; composed they are the implicit skin. The skin is carried by the bones, projected and relaxed. States: grey rigid, blue on its surface, green in contact."
figure tracking-parts.png "(a) Parts." render builtin:cylinder --color part --yaw 0
figure tracking-fields.png "(b) Fields composed, as the joint bends; contact is green." \
  fields builtin:cylinder --slice upper --clip bend --at 0,0.4,0.7
figure tracking-states.png "(c-e) The skin follows; where it is in contact." \
  render builtin:cylinder --clip bend --methods tracking --at 0.4,0.7,1.0 --color contact --wireframe --yaw 60

section "Tracking: target rotations (figure 7)" \
  "Rotations prescribed by the bones: along a twisted and along a bent tube vertices stay evenly spread and no triangle turns over. The paper's left half, rotations found by as-rigid-as-possible iterations, is not part of the program."
figure tracking-targets-twist.png "Twist, linear blending above; colour is stretch." \
  render builtin:cylinder --clip twist --methods lbs,tracking --at 0.5,1.0 --color stretch --wireframe --yaw 0
figure tracking-targets-bend.png "Bend, dual quaternions above; colour is stretch." \
  render builtin:cylinder --clip bend --methods dqs,tracking --at 0.5,1.0 --color stretch --wireframe --yaw 0

section "Tracking: weights hardly matter (figure 8)" \
  "Target rotations blended by rigid parts, by weights spread over half a limb's thickness, and by the character's own; colour is stretch. The last two end in nearly the same skin; rigid ones leave the strain in a few rows. The paper's smoothest weights are not offered: spread over more than the limb's thickness they draw free skin along and leave a ball at the joint."
for turn in rigid smooth skin; do
  figure tracking-turn-$turn.png "$turn weights." \
    render builtin:cylinder --clip bend --methods tracking --at 0.3,0.6,1.0 --turn $turn --color stretch --yaw 0
done

# table1_row NAME FILE CLIP FRAMES STEP: medians of one clip, the largest joint turning by STEP radians a frame
table1_row() {
  local name=$1 file=$2 clip=$3 frames=$4 step=$5 json
  json=$("$cutis" measure "$file" --clip "$clip" --frames "$frames" --methods implicit,tracking --no-contact-pass --json --quiet)
  awk -v name="$name" -v step="$step" '
    { n = split($0, word, /[,{}]/)
      for (i = 1; i <= n; i++) {
        if (word[i] ~ /"tracking":/) method = "tracking"
        if (word[i] ~ /"implicit":/) method = "implicit"
        if (word[i] ~ /"welded_vertices":/) { vertices = word[i]; sub(/.*: */, "", vertices) }
        if (word[i] ~ /"iterations":/ && method == "tracking") { x = word[i]; sub(/.*: */, "", x); sum += x; frames++ }
        if (word[i] ~ /"median":/) { x = word[i]; sub(/.*: */, "", x); ms[method] = x }
      } }
    END { printf "%-22s %8d %12s %18.1f %14.0f %16.0f\n", name, vertices, step, sum / frames, ms["tracking"], ms["implicit"] }' <<<"$json"
}

section "Tracking: cost (table 1)" \
  "Without the contact pass. A relaxation is up to twenty conjugate gradient steps and a projection; the paper counts single Jacobi steps, each with a projection. Theirs ran on a GPU (GeForce 670 GTX), ours on the processor that drew this page. Steps are the turn of the fastest joint in a frame; from 5 degrees on frames are divided."
{
  echo '<pre>'
  printf '%-22s %8s %12s %18s %14s %16s\n' "ours" vertices "step (rad)" "relaxations/frame" "tracking ms" "implicit ms"
  if [ -e "$data/hand_webxr/hand_left_poses.glb" ]; then
    table1_row "WebXR hand, fist" "$data/hand_webxr/hand_left_poses.glb" fist 4 0.5
    table1_row "WebXR hand, fist" "$data/hand_webxr/hand_left_poses.glb" fist 34 0.05
  fi
  if [ -e "$data/makehuman_male/makehuman_male.glb" ]; then
    table1_row "MakeHuman, squat" "$data/makehuman_male/makehuman_male.glb" deep_squat 6 0.5
    table1_row "MakeHuman, squat" "$data/makehuman_male/makehuman_male.glb" deep_squat 51 0.05
    table1_row "MakeHuman, squat" "$data/makehuman_male/makehuman_male.glb" deep_squat 501 0.005
  fi
  cat <<'TABLE'

the paper's            vertices   step (rad)  Jacobi iterations    tracking ms      implicit ms
Hand, 21 bones            31700          0.5                600            650               83
Hand, 21 bones            31700         0.05                330            220               83
Armadillo, 43 bones       16400         0.05                170             70               23
Jeff, 45 bones            13300          0.5                300            100               30
Jeff, 45 bones            13300         0.05                100             50               30
Jeff, 45 bones            13300        0.005                 10             24               20
</pre>
TABLE
} >>"$page"
table "Quality of the cylinder to 150 degrees and back" \
  measure builtin:cylinder --clip bend --methods dqs,tracking --frames 30 --no-contact-pass
table "Differences between histories" \
  measure builtin:arm --clip elbow --methods tracking --history playback,stateless,canonical --frames 16

section "Tracking: a fold and the operators (figure 12)" \
  "Implicit skinning with a union pushes vertices out of the fold; with the contact operator of the composed field it stretches the contact over the skin; tracking keeps the fold."
printf '{"all_joints": {"operator": "union"}}\n' >"$out/union.json"
figure tracking-fold-union.png "(a) Implicit skinning, union." \
  render builtin:cylinder --clip bend --methods implicit --contact operator -p "$out/union.json" --at 0.5,0.7,0.9 --wireframe --size 480x480 --yaw 0
figure tracking-fold-contact.png "(b) Implicit skinning, contact operator." \
  render builtin:cylinder --clip bend --methods implicit --operator contact --contact operator --at 0.5,0.7,0.9 --wireframe --size 480x480 --yaw 0
figure tracking-fold.png "(c) Tracking." \
  render builtin:cylinder --clip bend --methods tracking --at 0.5,0.7,0.9 --wireframe --size 480x480 --yaw 0

if shared hand_webxr/hand_left_poses.glb; then
  hand=$data/hand_webxr/hand_left_poses.glb
  section "Tracking: a bulge in contact (figure 13)" \
    "A cylinder and a finger in the paper's own mode (--contact operator): the contact operator, and the bulge that swells where the parts meet. On a slender finger the bulge is about a millimetre; beyond a right angle the composed field loses the fold."
  printf '{"all_joints": {"operator": "bulge"}}\n' >"$out/bulge.json"
  figure tracking-cylinder-contact.png "Contact." \
    render builtin:cylinder --clip bend --methods tracking --contact operator --no-contact-pass --at 0.4,0.5,0.6 --yaw 0
  figure tracking-cylinder-bulge.png "Bulge in contact." \
    render builtin:cylinder --clip bend --methods tracking --contact operator --no-contact-pass --at 0.4,0.5,0.6 --yaw 0 -p "$out/bulge.json"
  figure tracking-default-bulge.png "Bulge in contact, in the default mode." \
    render builtin:cylinder --clip bend --methods tracking --at 0.5,0.6,0.8 --yaw 0 -p "$out/bulge.json"
  printf '%s\n' '{"all_joints": {"operator": "soft", "controller": "quick"},' \
    '"controllers": [{"name": "quick", "bulge": [[0, 0], [60, 0], [100, 1]]}], "profiles": [{"name": "soft",' \
    '"points": [[0.5, 0], [0.5, 0.1], [0.42, 0.2], [0.32, 0.27], [0.32, 0.32]]}]}' >"$out/soft.json"
  figure tracking-default-profile.png "A profile and a controller of a preset, in the default mode: from 60 degrees on, by a fifth of the radius at 100." \
    render builtin:cylinder --clip bend --methods tracking --at 0.5,0.6,0.8 --yaw 0 -p "$out/soft.json"
  figure tracking-finger-contact.png "Contact." \
    render "$hand" --clip index_curl --at 0.4,0.6,0.8 --methods tracking --contact operator --no-contact-pass --yaw 150 --zoom index-finger-phalanx-intermediate
  figure tracking-finger-bulge.png "Bulge in contact." \
    render "$hand" --clip index_curl --at 0.4,0.6,0.8 --methods tracking --contact operator --no-contact-pass --yaw 150 --zoom index-finger-phalanx-intermediate -p "$out/bulge.json"
fi

if shared makehuman_male/makehuman_male.glb; then
  body=$data/makehuman_male/makehuman_male.glb
  section "Tracking: a body's joints, worst frames (figure 1)" \
    "Linear blending, dual quaternions and tracking beside each other, close up, where they are worst."
  figure tracking-elbow.png "Elbow to 150 degrees." \
    render "$body" --clip elbow_l_0_150 --methods lbs,dqs,tracking --at 0.9,1.2,1.5 --zoom lowerarm_l --yaw 10 --pitch 30
  figure tracking-knee.png "Knee to 150 degrees." \
    render "$body" --clip knee_l_0_150 --methods lbs,dqs,tracking --at 0.9,1.2,1.5 --zoom calf_l --yaw 120
  figure tracking-twist.png "Forearm twisted by 180 degrees at the wrist." \
    render "$body" --clip wrist_l_twist_0_180 --methods lbs,dqs,tracking --at 0.75,1.5 --zoom hand_l --yaw 20
  figure tracking-spine.png "Spine bent forward by 85 degrees." \
    render "$body" --clip spine_bend_forward_85 --methods lbs,dqs,tracking --at 0.75,1.5 --yaw 70
  figure tracking-shoulder.png "Arm overhead." \
    render "$body" --clip arm_l_raise_overhead --methods lbs,dqs,tracking --at 0.75,1.5 --zoom upperarm_l --yaw 20
  section "Tracking: without edited weights (figure 9)" \
    "The character's own weights above, automatic ones (bone heat) below. Linear blending, dual quaternions, implicit skinning and tracking."
  "$cutis" weights "$body" -o "$out/body-heat.glb" --quiet
  for weights in own heat; do
    file=$body
    [ "$weights" = heat ] && file=$out/body-heat.glb
    figure "tracking-weights-$weights.png" "$weights weights: knee at 120 and 150 degrees." \
      render "$file" --clip knee_l_0_150 --methods lbs,dqs,implicit,tracking --at 1.2,1.5 --zoom calf_l --yaw 120
  done
  section "Tracking: relaxation off, and contact between parts (figure 11)" \
    "A knee with the skin sliding, and with the shank painted stiff: its skin follows the bone alone. Below, thighs on the belly and calves on thighs in a squat."
  printf '{"regions": [{"name": "shank", "joints": ["calf_l"], "stiffness": 1, "fade": 0.03}]}\n' >"$out/shank.json"
  figure tracking-knee-soft.png "(b) Default; colour is stretch." \
    render "$body" --clip knee_l_0_150 --methods tracking --at 0.75,1.2 --color stretch --zoom calf_l --yaw 60
  figure tracking-knee-stiff.png "(c) Shank without relaxation." \
    render "$body" --clip knee_l_0_150 --methods tracking --at 0.75,1.2 --color stretch --zoom calf_l --yaw 60 -p "$out/shank.json"
  figure tracking-squat.png "(d) A deep squat: linear blending, dual quaternions, tracking." \
    render "$body" --clip deep_squat --methods lbs,dqs,tracking --at 0.9,1.2,1.5 --yaw 40
  section "Tracking: an arm on the belly, a chin (figure 14)" \
    "Too deep for implicit skinning to find its way out; tracking with contact keeps the arm on the belly. Below, the chin of a bent neck."
  figure tracking-belly.png "Implicit skinning above, tracking below." \
    render "$body" --clip arm_l_across_belly --methods implicit,tracking --at 0.9,1.5 --yaw 30
  figure tracking-chin.png "Chin, spine and neck bent by 85 degrees." \
    render "$body" --clip spine_bend_forward_85 --methods implicit,tracking --at 0.9,1.5 --zoom neck_01 --yaw 60 --pitch -10
fi
