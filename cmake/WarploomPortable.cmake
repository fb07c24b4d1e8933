# Programs and libraries that also start on older systems: WARPLOOM_PORTABLE names the folder that
# tools/portable_libraries makes. What computes is compiled as in any build, to the byte; what is linked is not: the
# glibc is that of the folder, and every other library is static. libgcc_s stays the system's.
set(WARPLOOM_PORTABLE "" CACHE PATH "Folder of tools/portable_libraries; empty: for this system")
if(NOT WARPLOOM_PORTABLE)
  return()
endif()
foreach(needed glibc/usr/lib/x86_64-linux-gnu/libc.so httplib/httplib.h)
  if(NOT EXISTS "${WARPLOOM_PORTABLE}/${needed}")
    message(FATAL_ERROR "WARPLOOM_PORTABLE: ${WARPLOOM_PORTABLE} has no ${needed}; tools/portable_libraries makes it")
  endif()
endforeach()
if(NOT WARPLOOM_MOLD)  # GNU ld wants position-independent code in archives that Debian compiled without
  message(FATAL_ERROR "WARPLOOM_PORTABLE needs the linker mold (Debian: mold) and g++ 12.1 or newer")
endif()

set(glibc "${WARPLOOM_PORTABLE}/glibc")
add_link_options($<$<LINK_LANGUAGE:C,CXX>:-B${glibc}/usr/lib/x86_64-linux-gnu/> $<$<LINK_LANGUAGE:C,CXX>:--sysroot=${glibc}>
                 $<$<LINK_LANGUAGE:C,CXX>:-L${glibc}/lib/x86_64-linux-gnu> -static-libstdc++)

# A third less code than -O1 where no time is spent: a wheel has a size to keep (decision 0158).
set(WARPLOOM_COLD $<$<CONFIG:Release>:-Os>)

# Functions of the same code are kept once. Nothing here compares addresses of functions (std::any would).
add_link_options($<$<LINK_LANGUAGE:C,CXX>:-Wl,--icf=all>)

# Functions that today's headers and static libraries call and the old glibc has not.
add_library(warploom_old_glibc STATIC "${PROJECT_SOURCE_DIR}/cmake/old_glibc.c")
set_target_properties(warploom_old_glibc PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_link_libraries(warploom_old_glibc INTERFACE pthread dl m)
target_link_libraries(warploom_options INTERFACE warploom_old_glibc)

set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ZLIB_USE_STATIC_LIBS ON)

# Debian has fmt as a shared library alone, and in its headers all that is compiled into that.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/fmt.cpp" @ONLY CONTENT [[
#include <fmt/format-inl.h>
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
]])
add_library(warploom_fmt STATIC "${PROJECT_BINARY_DIR}/fmt.cpp")
target_compile_features(warploom_fmt PUBLIC cxx_std_20)
target_compile_definitions(warploom_fmt PUBLIC FMT_SHARED)  # as users of the shared library are compiled
set_target_properties(warploom_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(fmt::fmt ALIAS warploom_fmt)

find_library(WARPLOOM_YAML_ARCHIVE yaml-cpp REQUIRED)
add_library(warploom_yaml INTERFACE)
target_link_libraries(warploom_yaml INTERFACE "${WARPLOOM_YAML_ARCHIVE}")
add_library(yaml-cpp::yaml-cpp ALIAS warploom_yaml)

add_library(warploom_httplib INTERFACE)
target_include_directories(warploom_httplib SYSTEM BEFORE INTERFACE "${WARPLOOM_PORTABLE}/httplib")
