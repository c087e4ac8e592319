// The text of kernels/field_rules.h: one vertex, one pair of parts or one edge of the field engine. No guard: floats
// include it once, packs of vertices once per instruction set (backends/simd/field_rules-inl.h).
//
// N is a number (float, or a pack of them), V a vector of three, B what a comparison of N gives. Whoever includes this
// has in scope: + - * / of N with N and with float, + - of V, V * N, V / N, dot(V, V), root(N), larger(N, N) and
// smaller(N, N) as std::max and std::min, above(N, N) for >, both(B, B), select(B, yes, no), none(B),
// smooth_step(N, float, float), number_like(N, float); and CUTIS_RULE, what functions are declared with. Every
// operation rounds by itself, in the order written: all back ends have the same bits.

// ---- contact of a vertex with another part ----

/// c, from by how much the other's field has risen over its value at rest; `gate`, a number or a float: how far the
/// pose lets contact in.
template <class G, class N>
CUTIS_RULE N contact_of_rise(G gate, N risen) {
  return gate * smooth_step(risen, kRiseFrom, kRiseTo);
}

/// What is left of c where the other's field leads on the own bone's axis, by so much more than at rest.
template <class N>
CUTIS_RULE N left_of_contact(N lead) {
  return 1.0F - smooth_step(lead, kLeadFrom, kLeadTo);
}

/// c where the other part is `near`, by what its field has risen to. Looked up in this order, as far as it matters:
/// carried() with the bone; here(), where the skin is, for contact up to `most`: a thick part may pass, and the carried
/// vertex come out on its far side; lead(), more than at rest: where the own bone's axis is inside the other part no
/// skin can be on its own side.
template <class G, class N, class B, class Carried, class Here, class Lead>
CUTIS_RULE N contact_with(B near, G gate, N most, const Carried& carried, const Here& here, const Lead& lead) {
  const N zero = number_like(most, 0);
  N contact = select(near, contact_of_rise(gate, carried()), zero);
  const B firmer = both(near, above(most, contact));
  if (!none(firmer)) contact = select(firmer, larger(contact, smaller(most, contact_of_rise(gate, here()))), contact);
  const B meets = above(contact, zero);
  if (!none(meets)) contact = select(meets, contact * left_of_contact(lead()), contact);
  return contact;
}

/// Where a vertex is about the axis of a bend: 1 in the middle of its inner side, 0 beside the axis, -1 on its back.
/// `from`: the vertex from a point of the axis; `axis` and `inside`: unit vectors, across each other.
template <class V>
CUTIS_RULE auto side_of_bend(const V& from, const V& axis, const V& inside) {
  const V off = from - axis * dot(axis, from);
  const auto size = root(dot(off, off));
  const auto zero = number_like(size, 0);
  return select(above(size, zero), dot(off, inside) / size, zero);
}

/// What is left of contact of the two parts there: only the inner side of a bend folds. On its back the end of one bone
/// may rise into the skin of the other (a knuckle), and they are one body there.
template <class N>
CUTIS_RULE N inner_side(N side) {
  return smooth_step(side, kBack, kInside);
}

/// l_k: where the other's surface is for the vertex.
template <class N>
CUTIS_RULE N level_of_other(N own_at_rest, N other_at_rest) {
  return larger(other_at_rest, own_at_rest);
}

/// o_k
template <class N>
CUTIS_RULE N offset_of_other(N own_at_rest, N other_at_rest) {
  return smaller(number_like(own_at_rest, 0), own_at_rest - other_at_rest);
}

// ---- levels ----

/// By how much a joined part's field leads the own one, levels apart.
template <class N>
CUTIS_RULE N lead_of_other(N other, N other_level, N own, N own_level) {
  return other - other_level - own + own_level;
}

/// How far smooth skinning may be trusted, given how much it strains the edges around a vertex.
template <class N>
CUTIS_RULE N soundness(N strain) {
  return 1.0F - smooth_step(strain, kStrainFrom, kStrainTo);
}

/// Of an edge, from its lengths.
template <class N>
CUTIS_RULE N strain_of_edge(N now, N at_rest) {
  return magnitude(now / at_rest - 1.0F);
}

/// In units of the field.
template <class N>
CUTIS_RULE N trust_of(N bent, N sound, N touch) {
  return (1.0F - bent) * larger(number_like(bent, kTrust), sound * (1.0F - touch));
}

/// By how much a vertex's levels go to those that smooth skinning is `off` by.
template <class N>
CUTIS_RULE N level_shift(N off, N trust) {
  const N least = 0.0F - trust;
  const N within = select(above(least, off), least, smaller(off, trust));
  return within + smaller(number_like(off, 0), off + kVoid);
}

// ---- what holds the skin ----

/// How loose skin is at a distance from a bent joint.
template <class N>
CUTIS_RULE N looseness(float gate, N distance, float near, float far) {
  return gate * (1.0F - smooth_step(distance, near, far));
}

/// Of smooth skinning on a tracked vertex, against the pull of its neighbours; `hold` as at rest.
template <class N>
CUTIS_RULE N hold_of(N hold, N loose, N strain, N stiffness, N touch, N sound) {
  // From kFirm to 1, exact at the end and never beyond.
  const N one = number_like(loose, 1);
  const N blend = larger(one, kFirm + loose * (1.0F - kFirm));
  const N firm = select(equals(loose, one), one, blend);
  const N painted = smooth_step(stiffness, 0.0F, kPaintedTo);
  const N rigid = (1.0F - painted) * (1.0F - loose) * (1.0F - smooth_step(strain, kCalmFrom, kCalmTo));
  return (smaller(one, hold * firm) + kRigid * rigid) * (1.0F - touch) * sound;
}

/// The same far from all that moves skin against its bone; `away` in radii.
template <class N>
CUTIS_RULE N hold_far_away(N away, N touch) {
  return kRigid * smooth_step(away, kAwayFrom, kAwayTo) * (1.0F - touch);
}

/// Of a guess without history, on a tracked vertex: no more than the neighbours together.
template <class N>
CUTIS_RULE N hold_of_guess(N hold, N touch, N sound) {
  return smaller(number_like(hold, 1), hold) * (1.0F - touch) * sound;
}

/// The share of the way from a guess back to the carried vertex after which the projection starts: all of it near the
/// axis, and where the gradient has turned away. `deep`: of the guess below the level, `depth`: of the axis.
template <class N>
CUTIS_RULE N way_back(N deep, N depth, N turned) {
  return larger(smooth_step(deep / depth, kDeepFrom, kDeepTo), 1.0F - smooth_step(turned, 0.0F, kTurned));
}

// ---- the residual ----

/// What joined parts and contact add to the own field; all 0 at first.
template <class N, class V>
struct Added {
  N rise, hold;
  V rise_gradient, hold_gradient;
};

/// A joined part, in the union: where `felt`.
template <class N, class V, class B>
CUTIS_RULE void unite(B felt, N contact, N value, const V& gradient, N other_level, N own, const V& own_gradient,
                      N level, Added<N, V>& added) {
  const N apart = 1.0F - contact;
  const N rise = apart * lead_of_other(value, other_level, own, level);
  const B rises = both(felt, above(rise, added.rise));
  if (none(rises)) return;
  added.rise = select(rises, rise, added.rise);
  added.rise_gradient = select(rises, (gradient - own_gradient) * apart, added.rise_gradient);
}

/// A part in contact, where `felt`: it asks the own field to be as strong, a gap apart.
template <class N, class V, class B>
CUTIS_RULE void press(B felt, N contact, N value, const V& gradient, N offset, N gap, const V& own_gradient, N level,
                      Added<N, V>& added) {
  const N zero = number_like(value, 0);
  const B meets = both(felt, both(above(contact, zero), above(value, zero)));
  if (none(meets)) return;
  const V between = own_gradient - gradient;
  const N hold = contact * (value + offset + gap * root(dot(between, between)) - level);
  const B holds = both(meets, above(hold, added.hold));
  added.hold = select(holds, hold, added.hold);
  added.hold_gradient = select(holds, gradient * contact, added.hold_gradient);
}

/// A damped Newton step, no longer than `limit`; `slope` is the size of a field's gradient on its surface.
template <class N, class V>
CUTIS_RULE V newton_step(N residual, const V& gradient, N slope, N limit) {
  const N damping = kDamping * slope;
  const V step = gradient * ((0.0F - residual) / (dot(gradient, gradient) + damping * damping));
  const N size = root(dot(step, step));
  const auto far = above(size, limit);
  if (none(far)) return step;
  return select(far, step * (limit / size), step);
}

// ---- relaxation ----

/// Of an edge whose ends have edges stretched by `around` on average.
template <class N>
CUTIS_RULE N weight_of_edge(N weight, N stretch, N around) {
  const N over = stretch / larger(around, number_like(around, 1e-6F)) - kUneven;
  const N beyond = larger(number_like(over, 0), over);
  return weight * (1.0F + kStiffening * beyond * beyond);
}

/// Within the plane of normal n.
template <class V>
CUTIS_RULE V tangent(const V& n, const V& a) {
  return a - n * dot(n, a);
}

/// A force as a step. A vertex is bound to its plane by a spring n n^T of bound / (1 - bound) times its diagonal;
/// altogether bound, it has no force across the plane.
template <class N, class V>
CUTIS_RULE V precondition(const V& n, N bound, N diagonal, const V& force) {
  const N all = select(above(bound, number_like(bound, kBound)), number_like(bound, 1), bound);
  return (force - n * (all * dot(n, force))) / diagonal;
}

/// The spring's strength.
template <class N>
CUTIS_RULE N spring_of(N bound, N diagonal) {
  return diagonal * bound / (1.0F - bound);
}

/// The force that a step d meets, given that of edges and holds alone.
template <class N, class V>
CUTIS_RULE V with_spring(const V& n, N bound, N spring, const V& d, const V& force) {
  return select(above(bound, number_like(bound, kBound)), tangent(n, force), force + n * (spring * dot(n, d)));
}
