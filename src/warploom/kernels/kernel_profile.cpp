#include "warploom/kernels/kernel_profile.h"

#include <utility>

#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/profile_builder.h"

namespace warploom {
namespace {

struct Priced {
  ContextKernel kernel;
  StructuralPrice price;
};

Priced priced(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
              const ProfileSources& sources) {
  Priced result{ContextKernel(context).asked_as(context.as_collected), {}};
  result.kernel.routing = sources.routing;
  const BaseConstants& constants =
      sources.constants != nullptr ? *sources.constants : default_constants(family_of(op));
  result.price = structural_price(op, gpu, result.kernel, constants);
  return result;
}

ProfileBuilder built(const Operator& op, const GpuSpec& gpu, const Priced& priced) {
  ProfileBuilder builder(gpu, priced.kernel, priced.price);
  family_value(op).profile(builder, op);
  return builder;
}

}  // namespace

KernelSequence kernel_sequence(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                               const ProfileSources& sources) {
  const Priced structure = priced(op, gpu, context, sources);
  return built(op, gpu, structure).parts.sequence;
}

KernelProfile profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                      const ProfileSources& sources) {
  const Priced structure = priced(op, gpu, context, sources);
  ProfileBuilder builder = built(op, gpu, structure);
  builder.parts.structural = structure.price.seconds;
  KernelProfile result = finished_profile(op, gpu, std::move(builder.parts));
  result.price = structure.price;
  result.t_launch = structure.price.launch;
  result.resident_share = structure.price.resident;
  return result;
}

}  // namespace warploom
