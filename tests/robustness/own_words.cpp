#include "own_words.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/base/error.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = WARPLOOM_SOURCE_DIR;
using Pointer = nlohmann::json_pointer<std::string>;

void add_places(const Json& value, const Pointer& at, std::vector<Pointer>& places) {
  places.push_back(at);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) add_places(member, at / key, places);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) add_places(value[i], at / i, places);
}

// Each value in one of the types that it may not have, or not with this value.
std::vector<Json> wrong_values() {
  return {nullptr,
          true,
          -1,
          0,
          1e300,
          0.5,
          "",
          "of a type",
          Json::array(),
          Json::object(),
          Json::array({Json::array({1, "two", nullptr})}),
          Json{{"of", "another"}},
          std::uint64_t(-1)};
}

// Words of the libraries that read for the program, or of the language's own.
bool is_foreign(std::string_view words) {
  for (const char* foreign :
       {"json.exception", "yaml-cpp", "bad conversion", "basic_string", "std::", "map::at",
        "vector::", "stoll", "stod", "filesystem error", "bad_alloc", "regex"})
    if (words.find(foreign) != std::string_view::npos) return true;
  return false;
}

}  // namespace

void expect_own_words(const std::string& name, const Json& sound, const ReadDocument& read) {
  ASSERT_NO_THROW(read(sound)) << name;
  std::vector<Pointer> places;
  add_places(sound, Pointer(), places);
  // Long lists are alike: of many places an even share.
  constexpr std::size_t kMostPlaces = 150;
  const std::size_t step = std::max<std::size_t>(1, places.size() / kMostPlaces);
  std::size_t refused = 0;
  const auto expect_read_or_refused = [&](const Json& document, const Pointer& place,
                                          const std::string& what) {
    try {
      read(document);
    } catch (const Error& error) {
      ++refused;
      EXPECT_FALSE(is_foreign(error.what()))
          << name << ": " << place.to_string() << " " << what << ": " << error.what();
      EXPECT_GT(std::string_view(error.what()).size(), 10u)
          << name << ": " << place.to_string() << " " << what;
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ": " << place.to_string() << " " << what << ": " << error.what();
    }
  };
  for (std::size_t i = 0; i < places.size(); i += step) {
    const Pointer& place = places[i];
    for (const Json& wrong : wrong_values()) {
      Json document = sound;
      document[place] = wrong;
      expect_read_or_refused(document, place, "is " + wrong.dump());
    }
    if (place.empty() || !sound[place.parent_pointer()].is_object()) continue;
    Json without = sound;
    Json& parent = without[place.parent_pointer()];
    const Json value = parent[place.back()];
    parent.erase(place.back());
    expect_read_or_refused(without, place, "is missing");
    parent["of_no_reader"] = value;
    expect_read_or_refused(without, place, "has another name");
  }
  EXPECT_GT(refused, places.size() / step) << name;
}

Json fixture(const std::string& name) { return read_json_file(kSource / "tests/fixtures" / name); }

ReadDocument of_file(const ScratchFolder& folder, const std::string& name,
                     const std::function<void(const fs::path&)>& read) {
  return [&folder, name, read](const Json& document) { read(folder.write(name, document.dump())); };
}

}  // namespace warploom
