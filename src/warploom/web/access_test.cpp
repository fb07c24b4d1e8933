#include "warploom/web/access.h"

#include <gtest/gtest.h>

#include "warploom/web/random_token.h"

namespace warploom {
namespace {

int status_of(const AccessRules& rules, const HttpRequest& request) {
  const auto refused = refused_access(rules, request);
  return refused ? refused->status : 200;
}

TEST(Access, TakesOwnNamesAlone) {
  const AccessRules rules;
  for (const char* host : {"localhost:80", "127.0.0.1:8765", "LOCALHOST", "[::1]:8765", "127.3.2.1"})
    EXPECT_EQ(status_of(rules, {.path = "/", .host = host}), 200) << host;
  for (const char* host : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80",
                           "10.0.0.1", "[::1", "[fe80::1]:80", ":"})
    EXPECT_EQ(status_of(rules, {.path = "/", .host = host}), 403) << host;
}

TEST(Access, TakesAddressesBeyondLoopbackOnlyWhenItAnswersThere) {
  const AccessRules rules{.address = "0.0.0.0", .host_names = {"plan.example"}, .token = "t"};
  EXPECT_EQ(status_of(rules, {.path = "/", .host = "10.0.0.1:80"}), 200);
  EXPECT_EQ(status_of(rules, {.path = "/", .host = "Plan.Example"}), 200);
  EXPECT_EQ(status_of(rules, {.path = "/", .host = "other.example"}), 403);
}

TEST(Access, RefusesOtherPages) {
  const AccessRules rules;
  EXPECT_EQ(status_of(rules, {.path = "/api", .host = "localhost:1", .origin = "http://localhost:1"}), 200);
  for (const char* origin :
       {"http://localhost:2", "http://evil.example", "null", "file://", "http://localhost"})
    EXPECT_EQ(status_of(rules, {.path = "/api", .host = "localhost:1", .origin = origin}), 403) << origin;
}

TEST(Access, TakesFromOtherPagesALinkToThePageAlone) {
  const AccessRules rules;
  const auto status = [&](const char* method, const char* path, const char* site, const char* mode) {
    return status_of(
        rules,
        {.method = method, .path = path, .host = "localhost:1", .fetch_site = site, .fetch_mode = mode});
  };
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(status("GET", "/", site, "navigate"), 200);
    EXPECT_EQ(status("POST", "/", site, "navigate"), 403);
    EXPECT_EQ(status("GET", "/api/v1/version", site, "navigate"), 403);
    EXPECT_EQ(status("GET", "/assets/page.js", site, "no-cors"), 403);
    EXPECT_EQ(status("GET", "/api/v1/version", site, "no-cors"), 403);
  }
  for (const char* site : {"", "none", "same-origin"})
    EXPECT_EQ(status("GET", "/api/v1/version", site, "cors"), 200) << site;
}

TEST(Access, AsksForTheTokenOfTheApiAlone) {
  const AccessRules rules{.token = "abc"};
  const auto status = [&](const char* path, const char* given) {
    return status_of(rules, {.path = path, .host = "localhost", .authorization = given});
  };
  EXPECT_EQ(status("/api/v1/version", "Bearer abc"), 200);
  EXPECT_EQ(status("/api/v1/version", ""), 401);
  EXPECT_EQ(status("/api/v1/version", "Bearer abd"), 401);
  EXPECT_EQ(status("/api/v1/version", "Bearer abcd"), 401);
  EXPECT_EQ(status("/api/v1/version", "bearer abc"), 401);
  EXPECT_EQ(status("/index.html", ""), 200);
}

TEST(Access, KnowsLoopback) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("128.0.0.1"));
  EXPECT_FALSE(is_loopback("127.evil.example"));
}

TEST(RandomToken, IsNeverTheSame) {
  EXPECT_EQ(random_token().size(), kTokenDigits);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace warploom
