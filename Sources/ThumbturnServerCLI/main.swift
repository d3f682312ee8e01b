#if Tools
import ArgumentParser
import ServiceLifecycle
#endif
