// The hand-made results of tests/fixtures/clients, as they are or changed. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/app/runs/measured_requests.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {

inline std::filesystem::path client_fixture(const std::string& name) {
  return std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/clients" / name;
}

// What `change` leaves of a JSON fixture, in a file of the folder.
inline std::filesystem::path changed_fixture(const ScratchFolder& folder, const std::string& name,
                                             const std::function<void(Json&)>& change) {
  Json document = read_json_file(client_fixture(name));
  change(document);
  return folder.write(name, document.dump());
}

// The file is refused, and the error holds `part`.
inline void expect_requests_refused(const std::filesystem::path& path, const std::string& part,
                                    const StatedLoad& load = {}) {
  try {
    read_measured_requests(path, load);
    ADD_FAILURE() << "accepted, expected an error with: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace warploom
