// How near a cell is to what was asked, and the order in which cells are therefore asked: the first that is
// there answers.
#pragma once

#include <array>

namespace warploom {

// Where it was measured: on the GPU that is asked about, on another of its architecture, on any other.
enum class Place { Here, Beside, Elsewhere };

// Whose kernel it is.
enum class Whose {
  Named,  // the kernel that is named, of its version, else of the nearest, else of any framework
  Asked,  // the framework's that is named, of the version or the nearest; where none is named, the likeliest
  NoOthers,  // any framework's that is not another engine's than the one that is named
  Engines,   // any engine's
  Anyones,   // benchmarks' as well
};

// What its kind is to that of the operator.
enum class Kin {
  Own,
  Eager,        // its own, timed call by call: the host is in the time
  SameScales,   // the same arithmetic
  OtherScales,  // the same arithmetic, where one of the two alone has scales for blocks of weights
  Nearest,      // any of the family, those of nearer arithmetic first
};

struct Nearness {
  Place place;
  Whose whose;
  Kin kin;
};

// The operator's own kind alone. An engine runs its kernels from CUDA graphs: another framework's kernel
// is nearer than its own timed eagerly.
inline constexpr std::array kOwnKind{
    Nearness{Place::Here, Whose::Named, Kin::Own},     Nearness{Place::Elsewhere, Whose::Named, Kin::Own},
    Nearness{Place::Here, Whose::Asked, Kin::Own},     Nearness{Place::Here, Whose::Anyones, Kin::Own},
    Nearness{Place::Here, Whose::Anyones, Kin::Eager},
};

// This GPU, with the kinds of the same arithmetic: an engine's own kernel under other types of the same
// width is nearer than another engine's.
inline constexpr std::array kHereWithKin{
    Nearness{Place::Here, Whose::Asked, Kin::Own},
    Nearness{Place::Here, Whose::NoOthers, Kin::Own},
    Nearness{Place::Here, Whose::Asked, Kin::SameScales},
    Nearness{Place::Here, Whose::Anyones, Kin::Own},
    Nearness{Place::Here, Whose::Engines, Kin::SameScales},
    Nearness{Place::Here, Whose::Asked, Kin::OtherScales},
    Nearness{Place::Here, Whose::Engines, Kin::OtherScales},
    Nearness{Place::Here, Whose::Anyones, Kin::Eager},
};

// The other GPUs, for each distance of arithmetic, the nearest first. Kernels that benchmarks alone run
// tell less of engines than an engine's kernel under other scales, and than one on GPUs of another
// architecture.
inline constexpr std::array kOtherGpus{
    Nearness{Place::Beside, Whose::Asked, Kin::Nearest},
    Nearness{Place::Beside, Whose::Engines, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Asked, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Engines, Kin::Nearest},
    Nearness{Place::Beside, Whose::Anyones, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Anyones, Kin::Nearest},
};

// A question about a library's own kernel is not about engines: what a sibling ran goes before those.
inline constexpr std::array kOtherGpusOfLibrary{
    Nearness{Place::Beside, Whose::Asked, Kin::Nearest},
    Nearness{Place::Beside, Whose::Engines, Kin::Nearest},
    Nearness{Place::Beside, Whose::Anyones, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Asked, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Engines, Kin::Nearest},
    Nearness{Place::Elsewhere, Whose::Anyones, Kin::Nearest},
};

}  // namespace warploom
