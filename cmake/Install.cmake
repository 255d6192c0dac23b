# cmake --install, and a Debian package by `cpack -G DEB` in the build folder. The programs lie in lib/kvantage behind a
# launcher in bin that fetches libtorch at the first start: neither libtorch nor any NVIDIA library is installed or
# packed.
include(GNUInstallDirs)
set(data ${CMAKE_INSTALL_DATADIR}/kvantage)
install(TARGETS kvantage kvantage-cli kvantage-method-worker RUNTIME DESTINATION lib/kvantage)
foreach(program kvantage kvantage-cli)
  install(PROGRAMS resources/desktop/launch.sh DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${program})
endforeach()
install(PROGRAMS cmake/fetch_libtorch.sh DESTINATION ${data})
install(FILES cmake/fetch_wheel.sh DESTINATION ${data})
install(DIRECTORY resources/lessons resources/model resources/presets resources/profiles resources/reference-mha
  DESTINATION ${data}/resources)
install(FILES resources/claims.json DESTINATION ${data}/resources)
install(DIRECTORY sample_workloads DESTINATION ${data})
install(DIRECTORY app/python/kvantage DESTINATION ${data}/python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
install(FILES resources/desktop/kvantage.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES resources/desktop/kvantage-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
  RENAME kvantage.xml)
install(FILES ui/resources/icons/kvantage.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
# Completion and manual pages are what the program prints.
set(generated ${CMAKE_BINARY_DIR}/generated_documents)
install(CODE "
  file(REMOVE_RECURSE \"${generated}\")
  file(MAKE_DIRECTORY \"${generated}\")
  foreach(shell bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:kvantage-cli>\" completion \${shell}
      OUTPUT_FILE \"${generated}/\${shell}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  execute_process(COMMAND \"$<TARGET_FILE:kvantage-cli>\" man --out \"${generated}/man1\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${generated}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kvantage-cli)
install(FILES ${generated}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _kvantage-cli)
install(FILES ${generated}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  RENAME kvantage-cli.fish)
install(DIRECTORY ${generated}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# libvalkey and tree-sitter are compiled in.
install(FILES ${KVANTAGE_VALKEY_DIR}/COPYING DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright.libvalkey)
if(KVANTAGE_CODE_BLEU)
  install(FILES ${tree_sitter}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright.tree-sitter)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.webp")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kvantage)
set(CPACK_PACKAGE_VENDOR KVantage)
set(CPACK_PACKAGE_CONTACT "KVantage developers <kvantage@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Workbench for KV-cache compression and eviction")
string(CONCAT CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Runs a real local language model on top of a tiered KV cache and shows live what compression and
eviction do to the time to first token and to the quality of the answers. The first start fetches
libtorch (530 MB) from PyPI into the user's cache, checked by digest.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${KVANTAGE_TORCH_DIR}/torch/lib ${KVANTAGE_TORCH_DIR}/nvidia/cu13/lib)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "bash, python3, python3-pip, unzip, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "zenity, fonts-wqy-microhei, qt6-translations-l10n")
include(CPack)
