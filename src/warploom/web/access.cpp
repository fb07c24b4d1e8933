#include "warploom/web/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "warploom/web/random_token.h"

namespace warploom {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

// "[::1]:80" -> "::1", "localhost:80" -> "localhost"; empty where it is neither form.
std::string host_without_port(std::string_view host) {
  if (!host.starts_with('[')) return lower(host.substr(0, host.find(':')));
  const std::size_t end = host.find(']');
  return end == std::string_view::npos ? std::string() : lower(host.substr(1, end - 1));
}

bool is_ip_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? lower(name.data()) : std::string();
}

// A name that was pointed at this machine by somebody else's name server is never an address, and never one
// of these.
bool is_own_name(const AccessRules& rules, const std::string& host) {
  const auto is_host = [&](const std::string& name) { return lower(name) == host; };
  if (host == "localhost" || std::any_of(rules.host_names.begin(), rules.host_names.end(), is_host))
    return true;
  if (is_loopback(rules.address)) return is_loopback(host);
  return is_ip_address(host) || host == lower(rules.address) || (!host.empty() && host == machine_name());
}

// Whether another page's image, script, frame or form asks. A link elsewhere may lead to the page, not into
// the API.
bool asks_for_another_page(const HttpRequest& request) {
  if (request.fetch_site != "cross-site" && request.fetch_site != "same-site") return false;
  return request.fetch_mode != "navigate" || request.method != "GET" || request.path.starts_with("/api");
}

}  // namespace

bool is_loopback(std::string_view address) {
  if (address == "localhost" || address == "::1") return true;
  in_addr numbers{};
  return ::inet_pton(AF_INET, std::string(address).c_str(), &numbers) == 1 &&
         (ntohl(numbers.s_addr) >> 24) == 127;
}

std::optional<ErrorAnswer> refused_access(const AccessRules& rules, const HttpRequest& request) {
  if (!is_own_name(rules, host_without_port(request.host)))
    return ErrorAnswer{403, "forbidden",
                       "the Host of this request is no name of this server, expected the address that it was "
                       "started with, or a name given with --host-name"};
  // Browsers send an origin with every POST and with what other pages may read, and of the rest say where it
  // comes from; programs send neither.
  const bool has_another_origin = !request.origin.empty() &&
                                  lower(request.origin) != "http://" + lower(request.host) &&
                                  lower(request.origin) != "https://" + lower(request.host);
  if (has_another_origin || asks_for_another_page(request))
    return ErrorAnswer{403, "forbidden", "this request comes from another page, expected one of this server"};
  if (rules.token.empty() || !request.path.starts_with("/api")) return {};
  if (same_token(request.authorization, "Bearer " + rules.token)) return {};
  return ErrorAnswer{401, "unauthorized",
                     "the token is missing or wrong, expected the header 'Authorization: Bearer TOKEN' with "
                     "what the server printed at its start"};
}

const std::vector<std::pair<std::string, std::string>>& safety_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers{
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
  return headers;
}

}  // namespace warploom
