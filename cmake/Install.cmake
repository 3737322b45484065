# Installs the library with its interfaces, one file a module: a user's build compiles them again, with the user's own flags.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
set(modules ${CMAKE_INSTALL_DATADIR}/tessera/modules)

install(TARGETS tessera
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Files of an earlier version would be compiled with ours.
get_target_property(interfaces tessera CXX_MODULE_SET)
install(CODE "
  set(FILES \"${interfaces}\")
  set(OUTPUT \"\${CMAKE_INSTALL_PREFIX}/${modules}\")
  if(DEFINED ENV{DESTDIR})
    set(OUTPUT \"\$ENV{DESTDIR}\${OUTPUT}\")
  endif()
  file(REMOVE_RECURSE \"\${OUTPUT}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/JoinInterfaces.cmake\")")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

get_target_property(type tessera TYPE)
string(REPLACE _LIBRARY "" library_type ${type})
set(library ${CMAKE_INSTALL_LIBDIR}/${CMAKE_${type}_PREFIX}tessera${CMAKE_${type}_SUFFIX})
set(headers ${CMAKE_INSTALL_INCLUDEDIR})
set(debug_types ${CMAKE_INSTALL_LIBDIR}/tessera_debug_types.o)
get_target_property(linked tessera LINK_LIBRARIES)
set(vector_sort "")
set(find_vector_sort "")
if("hwy::hwy_contrib" IN_LIST linked)
  set(vector_sort hwy::hwy_contrib)
  set(find_vector_sort "find_dependency(hwy 1.0)")
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS library modules headers debug_types)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/tesseraRequirements.cmake
  DESTINATION ${package_dir})
