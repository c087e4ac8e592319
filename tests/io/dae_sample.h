// A COLLADA file with a strip of two bones that bends by 90 degrees in two seconds.
#pragma once

#include <string>

namespace cutis::test {

inline const std::string kDae = R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries>
    <geometry id="strip" name="strip"><mesh>
      <source id="strip-p"><float_array id="strip-pa" count="18">-0.2 0 0  0.2 0 0  -0.2 1 0  0.2 1 0  -0.2 2 0  0.2 2 0</float_array>
        <technique_common><accessor source="#strip-pa" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="strip-v"><input semantic="POSITION" source="#strip-p"/></vertices>
      <polylist count="2"><input semantic="VERTEX" source="#strip-v" offset="0"/><vcount>4 4</vcount><p>0 1 3 2 2 3 5 4</p></polylist>
    </mesh></geometry>
  </library_geometries>
  <library_controllers>
    <controller id="skin" name="skin"><skin source="#strip">
      <bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
      <source id="skin-j"><Name_array id="skin-ja" count="2">lower upper</Name_array>
        <technique_common><accessor source="#skin-ja" count="2" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
      <source id="skin-b"><float_array id="skin-ba" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1  1 0 0 0 0 1 0 -1 0 0 1 0 0 0 0 1</float_array>
        <technique_common><accessor source="#skin-ba" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
      <source id="skin-w"><float_array id="skin-wa" count="3">1 0.75 0.25</float_array>
        <technique_common><accessor source="#skin-wa" count="3" stride="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
      <joints><input semantic="JOINT" source="#skin-j"/><input semantic="INV_BIND_MATRIX" source="#skin-b"/></joints>
      <vertex_weights count="6"><input semantic="JOINT" source="#skin-j" offset="0"/><input semantic="WEIGHT" source="#skin-w" offset="1"/>
        <vcount>1 1 2 2 1 1</vcount><v>0 0  0 0  0 2 1 1  0 2 1 1  1 0  1 0</v></vertex_weights>
    </skin></controller>
  </library_controllers>
  <library_animations>
    <animation id="bend">
      <source id="bend-t"><float_array id="bend-ta" count="2">0 2</float_array>
        <technique_common><accessor source="#bend-ta" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
      <source id="bend-o"><float_array id="bend-oa" count="2">0 90</float_array>
        <technique_common><accessor source="#bend-oa" count="2" stride="1"><param name="ANGLE" type="float"/></accessor></technique_common></source>
      <source id="bend-i"><Name_array id="bend-ia" count="2">LINEAR LINEAR</Name_array>
        <technique_common><accessor source="#bend-ia" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
      <sampler id="bend-s"><input semantic="INPUT" source="#bend-t"/><input semantic="OUTPUT" source="#bend-o"/><input semantic="INTERPOLATION" source="#bend-i"/></sampler>
      <channel source="#bend-s" target="upper/rz.ANGLE"/>
    </animation>
  </library_animations>
  <library_visual_scenes>
    <visual_scene id="scene" name="scene">
      <node id="armature" name="armature" type="NODE"><translate sid="t">5 0 0</translate>
        <node id="lower" name="lower" sid="lower" type="JOINT"><rotate sid="rz">0 0 1 0</rotate>
          <node id="upper" name="upper" sid="upper" type="JOINT"><translate sid="t">0 1 0</translate><rotate sid="rz">0 0 1 0</rotate></node>
        </node>
      </node>
      <node id="body" name="body" type="NODE"><instance_controller url="#skin"><skeleton>#lower</skeleton></instance_controller></node>
    </visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
)";

}  // namespace cutis::test
