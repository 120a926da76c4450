# find_package(portgpu_ops [COMPONENTS cuda rocm cpu]): imported libraries portgpu_ops::cuda, ::rocm, ::cpu, one for
# each library that is installed beside this file. #include <portgpu_ops.h>
get_filename_component(_portgpu_ops_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_portgpu_ops_prefix "${_portgpu_ops_lib}/.." ABSOLUTE)

foreach(_portgpu_ops_target cuda rocm cpu)
  set(_portgpu_ops_file
      "${_portgpu_ops_lib}/${CMAKE_SHARED_LIBRARY_PREFIX}portgpu_ops_${_portgpu_ops_target}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  if(EXISTS "${_portgpu_ops_file}")
    set(portgpu_ops_${_portgpu_ops_target}_FOUND TRUE)
    if(NOT TARGET portgpu_ops::${_portgpu_ops_target})
      add_library(portgpu_ops::${_portgpu_ops_target} SHARED IMPORTED)
      set_target_properties(portgpu_ops::${_portgpu_ops_target} PROPERTIES
        IMPORTED_LOCATION "${_portgpu_ops_file}"
        IMPORTED_NO_SONAME TRUE
        INTERFACE_INCLUDE_DIRECTORIES "${_portgpu_ops_prefix}/include/portgpu_ops")
    endif()
  endif()
endforeach()

foreach(_portgpu_ops_component IN LISTS portgpu_ops_FIND_COMPONENTS)
  if(NOT portgpu_ops_${_portgpu_ops_component}_FOUND AND portgpu_ops_FIND_REQUIRED_${_portgpu_ops_component})
    set(portgpu_ops_FOUND FALSE)
    set(portgpu_ops_NOT_FOUND_MESSAGE
        "no library for ${_portgpu_ops_component} is in ${_portgpu_ops_lib}; portgpu build --target ${_portgpu_ops_component} --install adds it")
  endif()
endforeach()
