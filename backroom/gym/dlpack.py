"""DLPack: capsules that share the memory of an array with other libraries without a copy."""

import ctypes
from typing import Any

KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}
"""DLPack's type code for each kind of dtype."""


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class _Type(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))

_lent: dict[int, Any] = {}
"""Arrays shared with other libraries, by the address of the managed tensor: kept alive until its deleter is called."""


def _given_back(managed: Any, forget: Any = _lent.pop, address_of: Any = ctypes.addressof) -> None:
    forget(address_of(managed.contents), None)  # bound as defaults: globals may be gone at exit


_deleter = _Deleter(_given_back)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


def capsule_of(array: Any, pointer: int, device: tuple[int, int]) -> Any:
    """A capsule with the array's memory, which is kept alive as long as it is in use."""
    lengths = ctypes.c_int64 * len(array.shape)
    shape = lengths(*array.shape)
    strides = lengths(*(stride // array.dtype.itemsize for stride in array.strides))
    kind = _Type(KINDS[array.dtype.kind], 8 * array.dtype.itemsize, 1)
    tensor = _Tensor(pointer, _Device(*device), len(array.shape), kind, shape, strides, 0)
    managed = _Managed(tensor, None, _deleter)
    address = ctypes.addressof(managed)
    _lent[address] = managed, shape, strides, array
    return _new_capsule(address, b"dltensor", None)
