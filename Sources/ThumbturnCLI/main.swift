#if Tools
import ArgumentParser
import NIOPosix
import NIOHTTP1
#endif
