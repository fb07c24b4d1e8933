// What tests of manifests share: texts of the fixtures, one thing in them replaced, and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/manifests/files/manifest_file.h"
#include "warploom/manifests/internal/manifest_setup.h"

namespace warploom {

inline std::string manifest_path(const std::string& name) {
  return std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/manifests/" + name;
}

inline std::string fixture(const std::string& name) { return read_file(manifest_path(name), 1 << 20); }

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline ManifestSetup read(const std::string& text) {
  return manifest_setup(parse_manifest(text, "m.yaml"), SetupUse::Run);
}

inline std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "was taken";
}

inline bool left_out(const ManifestSetup& setup, const std::string& name) {
  return std::find(setup.left_out.begin(), setup.left_out.end(), name) != setup.left_out.end();
}

}  // namespace warploom

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
