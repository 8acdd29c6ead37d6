# Run by CPack between installing and packing: a Debian package says under which licence it is and
# what has changed in files of certain names and forms.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

set(folder ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/switchyard)
file(COPY_FILE ${CPACK_SWITCHYARD_COPYRIGHT} ${folder}/copyright)
file(REMOVE ${folder}/LICENSE)  # copyright says where Debian keeps that licence's text
file(READ ${folder}/README.md readme)
string(REPLACE "(LICENSE)" "(copyright)" readme "${readme}")
file(WRITE ${folder}/README.md "${readme}")

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${folder}/changelog
"switchyard (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
