#include "warploom/measurements/importers/kineto_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/measurements/importers/profiled_kernels.h"
#include "warploom/measurements/importers/torch_operators.h"

namespace warploom {
namespace {

using Node = nlohmann::json;

struct Launched {
  std::string name;
  std::int64_t call = -1;  // "External id" of the operator that launched it
  std::int64_t device = 0;
  double microseconds = 0;
  std::optional<Collective> collective;
};

struct Trace {
  std::unordered_map<std::int64_t, TorchCall> calls;  // by "External id"
  std::vector<Launched> kernels;                      // in the order of the file
  std::map<std::int64_t, std::string> gpus;           // names by device
  bool is_trace = false, has_shapes = false;
};

std::int64_t integer_of(const Node& object, const char* key, std::int64_t fallback) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return fallback;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  const auto real = found->get<double>();
  return std::abs(real) < 9e15 ? static_cast<std::int64_t>(real) : fallback;
}
std::string text_of(const Node& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> texts_of(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list) texts.push_back(item.is_string() ? item.get<std::string>() : "");
  return texts;
}

TorchCall call_of(const Node& event, const Node& args) {
  TorchCall call;
  call.name = text_of(event, "name");
  if (const auto dims = args.find("Input Dims"); dims != args.end() && dims->is_array())
    for (const Node& argument : *dims) {
      auto& sizes = call.dims.emplace_back();
      // Lists of tensors hold lists of sizes: no operator here takes one.
      for (const Node& size : argument)
        if (size.is_number_integer()) sizes.push_back(std::max<std::int64_t>(0, size.get<std::int64_t>()));
    }
  if (const auto types = args.find("Input type"); types != args.end()) call.types = texts_of(*types);
  if (const auto values = args.find("Concrete Inputs"); values != args.end()) call.values = texts_of(*values);
  return call;
}

// What the profiler notes beside a kernel of NCCL: elements of one rank that go in and come out.
std::optional<Collective> collective_of(const Node& args) {
  const std::string name = text_of(args, "Collective name"), type = text_of(args, "dtype");
  static const std::map<std::string, CollectiveKind, std::less<>> kKinds{
      {"allreduce", CollectiveKind::AllReduce},
      {"_allgather_base", CollectiveKind::AllGather},
      {"all_gather", CollectiveKind::AllGather},
      {"_reduce_scatter_base", CollectiveKind::ReduceScatter},
      {"reduce_scatter", CollectiveKind::ReduceScatter},
      {"all_to_all", CollectiveKind::AllToAll},
      {"all_to_allv", CollectiveKind::AllToAll}};
  static const std::map<std::string, double, std::less<>> kBytes{
      {"BFloat16", 2}, {"Half", 2}, {"Float", 4}, {"Float8_e4m3fn", 1}, {"Byte", 1}, {"Char", 1}};
  const auto kind = kKinds.find(name);
  const auto bytes = kBytes.find(type);
  if (kind == kKinds.end() || bytes == kBytes.end()) return std::nullopt;
  const double in = double(integer_of(args, "In msg nelems", 0)),
               out = double(integer_of(args, "Out msg nelems", 0));
  const double elements = kind->second == CollectiveKind::AllGather ? out : in;
  const std::int64_t ranks = integer_of(args, "Group size", 0);
  if (elements < 1 || ranks < 2) return std::nullopt;
  return Collective{.kind = kind->second, .size = Bytes(elements * bytes->second), .ranks = ranks};
}

void take_event(const Node& event, Trace& trace) {
  const std::string category = text_of(event, "cat");
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return;
  if (category == "cpu_op") {
    TorchCall call = call_of(event, *args);
    trace.has_shapes = trace.has_shapes || !call.dims.empty();
    trace.calls.insert_or_assign(integer_of(*args, "External id", -1), std::move(call));
  } else if (category == "kernel" || category == "gpu_memset") {  // cuDNN clears its workspace by one
    const auto duration = event.find("dur");
    if (duration == event.end() || !duration->is_number()) return;
    trace.kernels.push_back({text_of(event, "name"), integer_of(*args, "External id", -1),
                             integer_of(*args, "device", 0), duration->get<double>(), collective_of(*args)});
  }
}

// Events go as soon as they are read: traces hold millions.
Trace parse_trace(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Trace trace;
  std::string key;  // of the document that is being read
  const auto on_part = [&](int depth, Node::parse_event_t event, Node& part) {
    if (depth == 1 && event == Node::parse_event_t::key) key = part.get<std::string>();
    if (key == "traceEvents" && depth == 1 && event == Node::parse_event_t::array_start)
      trace.is_trace = true;
    if (depth != 2 || event != Node::parse_event_t::object_end) return true;
    if (key == "deviceProperties")
      trace.gpus[integer_of(part, "id", 0)] = text_of(part, "name");
    else if (key == "traceEvents")
      take_event(part, trace);
    return false;
  };
  try {
    const Node rest = Node::parse(text, on_part);
    trace.is_trace = trace.is_trace && rest.is_object();
  } catch (const Node::parse_error& error) {
    throw InvalidInput(
        fmt::format("{}: is no whole JSON document, damage at byte {} of {}; a trace that was cut off while "
                    "it was written "
                    "holds no end: export it again",
                    path.string(), error.byte, text.size()));
  } catch (const Node::out_of_range&) {
    throw InvalidInput(fmt::format("{}: holds a number that is too large to be represented", path.string()));
  }
  if (!trace.is_trace)
    throw InvalidInput(
        fmt::format("{}: holds no 'traceEvents', expected a trace of the PyTorch profiler "
                    "(export_chrome_trace or tensorboard_trace_handler)",
                    path.string()));
  return trace;
}

void refuse_what_tells_nothing(const Trace& trace, const std::filesystem::path& path) {
  if (trace.kernels.empty())
    throw InvalidInput(
        fmt::format("{}: holds no GPU kernel, expected a profile with activities=[ProfilerActivity.CPU, "
                    "ProfilerActivity.CUDA]",
                    path.string()));
  if (!trace.has_shapes)
    throw InvalidInput(
        fmt::format("{}: holds {} kernels but no shapes of operators, so nothing tells their sizes; "
                    "profile again with record_shapes=True{}",
                    path.string(), trace.kernels.size(),
                    trace.calls.empty() ? " and ProfilerActivity.CPU, and without CUDA graphs, whose kernels "
                                          "belong to no operator (vLLM: --enforce-eager)"
                                        : ""));
}

class CallPlace final : public RowPlace {
 public:
  CallPlace(const std::filesystem::path& path, std::int64_t call, std::string_view name)
      : path_(path), call_(call), name_(name) {}
  std::string location() const override {
    return fmt::format("{}: {} (External id {})", path_.string(), name_, call_);
  }

 private:
  const std::filesystem::path& path_;
  std::int64_t call_;
  std::string_view name_;
};

// The kernels of one call of an operator.
struct Group {
  std::int64_t call = -1;
  std::vector<std::size_t> kernels;
};

std::vector<Group> group_by_call(const Trace& trace) {
  std::vector<Group> groups;
  std::unordered_map<std::int64_t, std::size_t> at;
  for (std::size_t k = 0; k < trace.kernels.size(); ++k) {
    const Launched& kernel = trace.kernels[k];
    const bool alone = kernel.collective || !trace.calls.contains(kernel.call);
    if (!alone) {
      const auto [found, fresh] = at.try_emplace(kernel.call, groups.size());
      if (!fresh) {
        groups[found->second].kernels.push_back(k);
        continue;
      }
    }
    groups.push_back({alone ? -1 : kernel.call, {k}});
  }
  return groups;
}

}  // namespace

void read_kineto_trace(const std::filesystem::path& path, RowSink& sink) {
  const Trace trace = parse_trace(path);
  refuse_what_tells_nothing(trace, path);
  ProfiledKernels profiled;
  const TorchCall nobody;
  for (const Group& group : group_by_call(trace)) {
    const Launched& first = trace.kernels[group.kernels.front()];
    const auto found = trace.calls.find(group.call);
    const TorchCall& call = found == trace.calls.end() ? nobody : found->second;
    const TorchOperator told =
        first.collective ? TorchOperator{Operator(*first.collective), ""} : operator_of(call);
    const CallPlace place(path, group.call, call.name.empty() ? first.name : call.name);
    double microseconds = 0;
    for (const std::size_t k : group.kernels) {
      microseconds += trace.kernels[k].microseconds;
      profiled.add(trace.kernels[k].name, trace.kernels[k].microseconds, 1, told.op ? 1 : 0);
    }
    if (!told.op) {
      sink.skip(told.reason, place);
      continue;
    }
    const auto named = trace.gpus.find(first.device);
    const GpuSpec* gpu = named == trace.gpus.end() || named->second.empty() ? sink.only_wanted_gpu()
                                                                            : sink.gpu(named->second, place);
    if (gpu == nullptr) {
      if (named == trace.gpus.end())
        throw InvalidInput(fmt::format("{}: does not name its GPU; name it with --gpu", path.string()));
      continue;
    }
    if (!sink.wants(family_of(*told.op))) {
      sink.skip_unwanted();
    } else if (!(microseconds > 0)) {
      sink.skip("shorter than the timer's step: reads 0 us", place);
    } else {
      sink.add({.op = *told.op,
                .gpu = *gpu,
                .context = {"pytorch", "",
                            first.collective ? std::string_view("nccl") : std::string_view(call.name)},
                .latency = Seconds(microseconds * 1e-6)},
               place);
    }
  }
  sink.tell_kernels(profiled.by_time());
}

}  // namespace warploom
