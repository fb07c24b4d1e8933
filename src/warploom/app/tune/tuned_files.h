// Use case `tuned-files`: every file of tuned configurations that an engine looks for, and those that it
// lacks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/tuned_files/sure_rows.h"
#include "warploom/tuned_files/unfiled_kernels.h"

namespace warploom {

struct TunedFilesRequest {
  std::string model;  // a name or the path of a config.json
  std::string gpu;    // name, alias or path of a record
  MoeEngine engine = MoeEngine::Vllm;
  std::string engine_version;            // of data/tuned_files; empty: the newest there
  std::int64_t tp = 1, ep = 1;           // GPUs that share layers; that share the experts
  std::string quantization;              // a MatmulScheme for every linear layer; empty: as the checkpoint is
  std::string triton_version = "3.8.0";  // whose folder SGLang looks into first
  std::int64_t lora_rank = 0;            // that the engine makes room for (max_lora_rank); 0: no adapters
  std::int64_t max_loras = 1;            // adapters of one step
  std::filesystem::path write;           // folder; empty: nothing is written
  bool all = false;                      // predict those too that the engine ships
  std::filesystem::path samples;         // times of its kernels on the GPU; with `profile` goes on from it
  bool profile = false;                  // time the missing files' kernels here first: into `samples`
  double seconds = 600;                  // stop timing after
  std::string python = "python3";        // with the engine
  std::filesystem::path package;         // the folder that holds the Python package `warploom`
  FileScope files = FileScope::machine();
  static FieldTable describe();
};

struct ListedFile {
  TunedFile file;
  std::vector<SureRow> rows;      // timed or predicted; empty: it ships, or no model of its kernel is known
  std::string not_predicted;      // why not, where it neither ships nor has rows
  std::string not_timed;          // why rows are predicted although `samples` was given
  std::filesystem::path written;  // empty: not written

  // A row leaves the default. Without, the engine does as well without the file, which is not written.
  bool gains() const;
};

struct TunedFilesResult {
  std::string model, gpu, engine_version;
  MoeEngine engine = MoeEngine::Vllm;
  std::int64_t tp = 1, ep = 1;
  bool known_device = true;  // the release has files of this device, or of none of its vendor's name
  std::vector<ListedFile> files;
  std::vector<UnfiledKernel> without_file;  // kernels of the model that read none
};

// Writes engine's files into `write` as the engine's own folders have them: below "package" what it reads in
// its package alone, else below the user's folder. Rows of kernels that `samples` has times of come from
// these. Throws NotFound, InvalidInput (also where time ran out: the same request again goes on), Unsupported
// (a release whose rules are not known, a GPU whose driver's name is not, no engine or GPU to time on),
// IoError.
TunedFilesResult tuned_files(const TunedFilesRequest& request);

}  // namespace warploom
