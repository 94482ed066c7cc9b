"""Interfaces of other tuners. A program changes an import, and warptune tunes."""
