# Marker-driven animation: Le Naour, Courty, Gibet 2018.
figure_sheet() { # NAME CAPTION arguments...
  local name=$1 caption=$2; shift 2
  echo "  $name"
  "$cutis" markers "$@" --quiet
  local shown="$*"
  shown=${shown//$data\//} shown=${shown//$targets\//} shown=${shown//$out\//}
  printf '<figure><img src="%s" alt="%s"><figcaption>%s<br><code>cutis markers %s</code></figcaption></figure>\n' \
    "$name" "$(escape "$caption")" "$(escape "$caption")" "$(escape "$shown")" >>"$page"
  count=$((count + 1))
}
targets=$here/figures/markers

section "Markers: a skeleton in the volume (Le Naour, figures 3 and 6)" \
  "Six targets move a body: hips, head, hands, feet. With bones in the control mesh the limbs stay straight and bend at the joints; without, they are rubber. A JSON of a few targets a frame is also how meshes are edited."
figure_sheet markers-edit.png "Figure 6, and 3 right: a few targets a frame edit a body." \
  builtin:human --take "$targets/reach.json" --no-fit --fps 6 --sheet "$out/markers-edit.png" --sheet-frames 4 --yaw 30
figure_sheet markers-no-skeleton.png "Figure 3, middle: the same targets, cells only." \
  builtin:human --take "$targets/reach.json" --no-fit --fps 6 --no-skeleton --sheet "$out/markers-no-skeleton.png" --sheet-frames 4 --yaw 30

section "Markers: joint limits (Le Naour, figure 4)" \
  "Targets (red) that ask for an elbow bent 70 degrees the wrong way."
figure_sheet markers-limits.png "With limits: the elbow stays straight, the markers are left behind." \
  builtin:human --take "$targets/backward-elbow.json" --no-fit --fps 5 --sheet "$out/markers-limits.png" --sheet-frames 3 --yaw 75
figure_sheet markers-no-limits.png "Without limits it bends." \
  builtin:human --take "$targets/backward-elbow.json" --no-fit --no-limits --fps 5 --sheet "$out/markers-no-limits.png" --sheet-frames 3 --yaw 75

section "Markers: a take drives a body (Le Naour, figures 7 and 8, table I)" \
  "39 optical markers (red) of a person going down stairs, another body: scale, pose and places fitted to the static trial; no weights are used."
if shared markers_c3d/Movement_trial.c3d; then
  take=$data/markers_c3d/Movement_trial.c3d still=$data/markers_c3d/Static_trial.c3d
  if shared makehuman_male/makehuman_male.glb; then
    body=$data/makehuman_male/makehuman_male.glb
    figure_sheet markers-body.png "Figure 7: a realistic body follows the markers." \
      "$body" --take "$take" --static "$still" --sheet "$out/markers-body.png" --follow
    figure_sheet markers-body-dqs.png "The recovered skeleton drives dual quaternion skinning." \
      "$body" --take "$take" --static "$still" --skin dqs --sheet "$out/markers-body-dqs.png" --follow --sheet-frames 4
    figure_sheet markers-plots.png "Figure 8: errors and work over the take, and convergence over ten frames." \
      "$body" --take "$take" --static "$still" --plots "$out/markers-plots.png"
    figure_sheet markers-green.png "Embedding by Green coordinates, for comparison." \
      "$body" --take "$take" --static "$still" --embed green --sheet "$out/markers-green.png" --follow --sheet-frames 4
    figure_sheet markers-tets.png "Embedding in each tetrahedron alone, for comparison." \
      "$body" --take "$take" --static "$still" --embed tets --sheet "$out/markers-tets.png" --follow --sheet-frames 4
    table "Table I" markers "$body" --take "$take" --static "$still" --sheet "$out/markers-table.png" --sheet-frames 1
  fi
  figure_sheet markers-human.png "A character of other proportions: the built-in human." \
    builtin:human --take "$take" --static "$still" --sheet "$out/markers-human.png" --follow
fi
if shared motion_bvh_cmu/02_01_walk.bvh; then
  figure_sheet markers-joints.png "Joint centres alone as targets: a BVH walk." \
    builtin:human --take "$data/motion_bvh_cmu/02_01_walk.bvh" --sheet "$out/markers-joints.png" --follow
fi

section "Markers: hands (Le Naour, figure 9)" \
  "19 markers on a hand: tips, middle joints, knuckles, wrist."
figure_sheet markers-hand.png "Figure 9: a pinch, a fist, a wave." \
  builtin:hand --take "$targets/hand-signs.json" --map "$targets/hand-map.json" --no-fit --fps 15 --sheet "$out/markers-hand.png" --follow --yaw 0
