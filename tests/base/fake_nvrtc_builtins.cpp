extern "C" int fake_nvrtc_builtins() { return 0; }
