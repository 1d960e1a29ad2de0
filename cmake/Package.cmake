# Manual pages and completions, what `cmake --install` installs, and packages (cpack).

# --- Manual pages and completions ---------------------------------------------

file(READ ${PROJECT_SOURCE_DIR}/packaging/changelog changelog)
if(NOT changelog MATCHES "^gpugate \\(${PROJECT_VERSION}\\).*\n -- [^\n]*, 0?([0-9]+) ([A-Z][a-z]+) ([0-9]+) ")
  message(FATAL_ERROR "packaging/changelog does not begin with version ${PROJECT_VERSION}")
endif()
set(release_date "${CMAKE_MATCH_2} ${CMAKE_MATCH_1}, ${CMAKE_MATCH_3}")

set(pages ${PROJECT_BINARY_DIR}/pages)
file(GLOB pages_c CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/pages/*.c)
file(GLOB pages_h CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/pages/*.h ${PROJECT_SOURCE_DIR}/src/base/*.h)
add_custom_command(OUTPUT ${pages}/gpugate.fish
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man
    COMMAND ${host_cc} -o ${pages}/pages ${pages_c}
    COMMAND ${pages}/pages ${pages} ${PROJECT_VERSION} ${release_date}
    DEPENDS ${pages_c} ${pages_h} ${PROJECT_SOURCE_DIR}/src/cli/cli/options.h
            ${PROJECT_SOURCE_DIR}/src/model/metric/metrics.def
    COMMENT "Writing manual pages and completions" VERBATIM COMMAND_EXPAND_LISTS)
add_custom_target(gpugate_pages ALL DEPENDS ${pages}/gpugate.fish)

# --- Installation ---------------------------------------------------------------

set(data ${CMAKE_INSTALL_DATADIR}/gpugate)
install(TARGETS gpugate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/gpugate.bash RENAME gpugate
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_gpugate DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages}/gpugate.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
file(GLOB licence ${PROJECT_SOURCE_DIR}/LICENSE* ${PROJECT_SOURCE_DIR}/COPYING*)
install(FILES README.md ${licence} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY rules schemas DESTINATION ${data})
# Folders of ci/ are for users, files in it for this project.
file(GLOB entries RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/ci/*)
foreach(entry IN LISTS entries)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${entry})
    install(DIRECTORY ${entry} DESTINATION ${data}/ci USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
  endif()
endforeach()

# --- Packages ---------------------------------------------------------------------

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "gpugate developers <gpugate@example.com>")
set(CPACK_PACKAGE_VENDOR "gpugate developers")
set(CPACK_PACKAGE_DESCRIPTION
"Reads what the PyTorch profiler and the CUDA memory history wrote, compares it
with a stored baseline under the rules of a YAML file, and answers with an exit
code, JUnit XML, Markdown for the pull request, JSON and an HTML page.")
set(CPACK_PACKAGE_FILE_NAME gpugate-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The program needs none of them; the scripts below share/gpugate/ci do.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "curl, git, jq, python3, unzip")
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_SUGGESTS "curl, git, jq, python3, unzip")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/zsh /usr/share/zsh/site-functions
    /usr/share/man /usr/share/man/man1)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/staged.cmake)
include(CPack)
