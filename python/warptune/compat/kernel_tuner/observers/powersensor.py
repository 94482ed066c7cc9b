"""`PowerSensorObserver` has no equivalent."""

from .._refused import refusing

__getattr__ = refusing("observers.powersensor", "it needs hardware that warptune does not read; NVMLObserver gives the energy")
