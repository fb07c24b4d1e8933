// What an engine runs on the GPU between two passes of the model: about 25 small kernels that make the inputs
// of a step, the conversion of the logits to fp32, and the choice of each token.
//
// None of them was ever swept. Inside steps their sum is a line in the number of logits (tools/fit_steps);
// steps on an H100, whose memory is a third slower than an H200's, lie on the same line: these kernels wait
// for instructions, not for memory.
#pragma once

#include "warploom/kernels/operator.h"
#include "warploom/kernels/rule_price.h"
#include "warploom/steps/step_rule.h"

namespace warploom {

// Whether the rule is of this operator: a choice among a model's words, not among its experts.
bool is_step_sampling(const Operator& op);
// A choice among more experts than one thread holds: a kernel whose rounds of comparisons take longer than
// its memory.
bool is_expert_choice(const Operator& op);

// The sum of those kernels; `use` is of RuleKind::Sampling. Of RuleKind::ExpertChoice: that one kernel.
RulePrice step_sampling_price(const RuleUse& use, const Sampling& op);

}  // namespace warploom
