# libcurl and expat, with which a tier is kept in a bucket of an object store. Without them such tiers are refused in
# one line, and all else works.
include(CMakeDependentOption)
find_package(PkgConfig REQUIRED)
pkg_check_modules(S3_CURL IMPORTED_TARGET libcurl>=7.88)
pkg_check_modules(S3_EXPAT IMPORTED_TARGET expat>=2.5)
set(s3_found FALSE)
if(S3_CURL_FOUND AND S3_EXPAT_FOUND)
  set(s3_found TRUE)
endif()
cmake_dependent_option(KVANTAGE_S3 "Build tiers in buckets; needs libcurl (libcurl4-openssl-dev) and expat" ON
                       s3_found OFF)
if(NOT KVANTAGE_S3)
  message(STATUS "no tiers in buckets (S3): libcurl 7.88 or expat 2.5 is not installed, or KVANTAGE_S3 is OFF")
endif()

# kvantage_s3_libraries(NAME): gives this library both, where they are.
function(kvantage_s3_libraries name)
  if(KVANTAGE_S3)
    target_link_libraries(${name} PRIVATE PkgConfig::S3_CURL PkgConfig::S3_EXPAT)
    target_compile_definitions(${name} PRIVATE KVANTAGE_S3)
  endif()
endfunction()
