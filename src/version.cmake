# SPDX-License-Identifier: Apache-2.0
# Makes base/build_info.hpp: what nettune is built of. It runs at every build, and changes the file only with its content.
#
#     cmake -DTREE=SOURCES -DINTO=HEADER -P version.cmake

# git archive writes the commit into COMMIT (.gitattributes); a clone asks git; else nobody knows.
set(commit unknown)
file(READ ${TREE}/COMMIT archived)
if(archived MATCHES "^[0-9a-f]+")
  string(SUBSTRING ${CMAKE_MATCH_0} 0 12 commit)
elseif(EXISTS ${TREE}/.git)
  execute_process(COMMAND git -c safe.directory=* -C ${TREE} describe --always --abbrev=12 --dirty --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit ${described})
  endif()
endif()

# digest_of(FOLDER VARIABLE): of the names and contents of its .toml files.
function(digest_of folder variable)
  file(GLOB files RELATIVE ${TREE}/${folder} ${TREE}/${folder}/*.toml)
  list(SORT files)
  set(all "")
  foreach(name IN LISTS files)
    file(SHA256 ${TREE}/${folder}/${name} digest)
    string(APPEND all "${digest} ${name}\n")
  endforeach()
  string(SHA256 digest "${all}")
  string(SUBSTRING ${digest} 0 12 digest)
  set(${variable} ${digest} PARENT_SCOPE)
endfunction()
digest_of(catalog catalog)
digest_of(checks rules)

configure_file(${TREE}/src/base/build_info.hpp.in ${INTO} @ONLY)
