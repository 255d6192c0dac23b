# libvalkey, the client of Redis and Valkey servers, as a static library with TLS: kvantage::valkey. The sources are
# fetched by cmake/fetch_libvalkey.sh; what is built of them is what one connection needs, and the CRC16 that
# maps keys to the slots of a cluster; neither the cluster client nor RDMA. The cluster client waits without our limits
# and connects to whatever host a server names, so slots are routed on connections of our own.
set(KVANTAGE_VALKEY_DIR "" CACHE PATH "Folder that holds src/ and include/ as unpacked by cmake/fetch_libvalkey.sh")
if(NOT KVANTAGE_VALKEY_DIR)
  get_filename_component(cache_root ${KVANTAGE_TORCH_DIR} DIRECTORY)
  set(KVANTAGE_VALKEY_DIR ${cache_root}/libvalkey-4.2.1)
endif()
if(NOT EXISTS ${KVANTAGE_VALKEY_DIR}/src/valkey.c)
  message(FATAL_ERROR "libvalkey not found in ${KVANTAGE_VALKEY_DIR}: "
    "run cmake/fetch_libvalkey.sh DIR and pass -DKVANTAGE_VALKEY_DIR=DIR")
endif()
find_package(OpenSSL 3.0 REQUIRED)
enable_language(C)

set(valkey_sources alloc async conn crc16 dict dns net read sds sockcompat timer tls valkey)
list(TRANSFORM valkey_sources REPLACE "(.+)" "${KVANTAGE_VALKEY_DIR}/src/\\1.c")
add_library(kvantage_valkey STATIC ${valkey_sources})
set_source_files_properties(${KVANTAGE_VALKEY_DIR}/src/crc16.c PROPERTIES
  COMPILE_DEFINITIONS crc16=kvantage_valkey_crc16)  # a name that other libraries use too
set_target_properties(kvantage_valkey PROPERTIES C_STANDARD 99 C_EXTENSIONS ON C_VISIBILITY_PRESET hidden
  UNITY_BUILD OFF)
target_compile_options(kvantage_valkey PRIVATE -w)  # not ours to mend
target_include_directories(kvantage_valkey SYSTEM PUBLIC ${KVANTAGE_VALKEY_DIR}/include
  PRIVATE ${KVANTAGE_VALKEY_DIR}/include/valkey ${KVANTAGE_VALKEY_DIR}/src)
target_link_libraries(kvantage_valkey PUBLIC OpenSSL::SSL OpenSSL::Crypto)
add_library(kvantage::valkey ALIAS kvantage_valkey)
