# Marker-driven animation: Le Naour, Courty, Gibet 2018.
section "Markers: a take drives a body (Le Naour, figure 7)" \
  "39 optical markers (red) of a person going down stairs, another body: scale, pose and places fitted to the static trial; no weights are used."
if shared markers_c3d/Movement_trial.c3d; then
  take=$data/markers_c3d/Movement_trial.c3d still=$data/markers_c3d/Static_trial.c3d
  figure_sheet() { # NAME CAPTION arguments...
    local name=$1 caption=$2; shift 2
    echo "  $name"
    "$cutis" markers "$@" --quiet
    local shown="$*"
    printf '<figure><img src="%s" alt="%s"><figcaption>%s<br><code>cutis markers %s</code></figcaption></figure>\n' \
      "$name" "$(escape "$caption")" "$(escape "$caption")" "$(escape "${shown//$data\//}")" >>"$page"
    count=$((count + 1))
  }
  if shared makehuman_male/makehuman_male.glb; then
    body=$data/makehuman_male/makehuman_male.glb
    figure_sheet markers-body.png "A realistic body, follows the markers." \
      "$body" --take "$take" --static "$still" --sheet "$out/markers-body.png" --follow
    figure_sheet markers-body-dqs.png "The recovered skeleton drives dual quaternion skinning." \
      "$body" --take "$take" --static "$still" --skin dqs --sheet "$out/markers-body-dqs.png" --follow --sheet-frames 4
    figure_sheet markers-plots.png "Figure 8: errors and work over the take." \
      "$body" --take "$take" --static "$still" --plots "$out/markers-plots.png"
    figure_sheet markers-green.png "Embedding by Green coordinates, for comparison." \
      "$body" --take "$take" --static "$still" --embed green --sheet "$out/markers-green.png" --follow --sheet-frames 4
    table "Table I" markers "$body" --take "$take" --static "$still" --sheet "$out/markers-table.png" --sheet-frames 1
  fi
  figure_sheet markers-human.png "A character of other proportions: the built-in human." \
    builtin:human --take "$take" --static "$still" --sheet "$out/markers-human.png" --follow
  if shared motion_bvh_cmu/02_01_walk.bvh; then
    figure_sheet markers-joints.png "Joint centres alone as targets: a BVH walk." \
      builtin:human --take "$data/motion_bvh_cmu/02_01_walk.bvh" --sheet "$out/markers-joints.png" --follow
  fi
fi
