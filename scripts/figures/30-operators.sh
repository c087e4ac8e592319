# How two fields become one: composition operators over (f1, f2) and the curves that control them.
section "Contact operator (Tracking, figure 5)" \
  "Iso-lines over f1 and f2: outside blue, inside red. The 0.5 line follows f1 (yellow), f2 (purple) and the contact line (green), which grows with d from a clean union to full contact."
figure operator-contact.png "Contact operator from d = 0 to 1." operators --kind contact
figure operator-contact-plain.png "The same without bounds on slopes, as the paper solves it: at d = 0 lines lean inwards where g falls with the second field." \
  operators --kind contact --plain

section "Bulge in contact (Tracking, figure 6)" \
  "Skin swells before it touches: the 0.5 lines of f1 and f2 move outwards while the contact line grows."
figure operator-bulge.png "Bulge operator from d = 0 to 1." operators --kind bulge

section "Union and blend (EPFL, figures 8 and 9)" \
  "The maximum of the fields, the clean union with the same skin in a round field, and the blend of 2013 for opening angles from closed to fully open."
figure operator-union.png "Union." operators --kind union
figure operator-clean-union.png "Clean union." operators --kind clean-union
figure operator-blend.png "Blend." operators --kind blend

section "Controllers (Tracking, figure 4; EPFL, figure 10)" \
  "The operator's parameter as a curve of the angle between the gradients, for each kind of joint."
figure controllers.png "Contact, bulge and opening." operators --kind controllers
