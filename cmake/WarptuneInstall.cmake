# A relocatable tree: bin/warptune finds share/warptune beside itself.
include(GNUInstallDirs)
