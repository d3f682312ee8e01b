#if Server
import Hummingbird
import GRDB
import CSodium
import Logging
import Crypto
#endif
