import ThumbturnCore
import ThumbturnDevice

/// An operation of the calls of an app; the numbers are those of the contract.
enum AppOperation: Int32, CaseIterable, Sendable {
    case cancel = 1
    case close = 2
    case openDevice = 3
    case openAuthenticator = 4
    case openVault = 5
    case news = 6
    case readiness = 7
    case enrol = 8
    case addBiometrics = 9
    case authenticate = 10
    case useAnotherWay = 11
    case promptNow = 12
    case signIn = 13
    case me = 14
    case stepUp = 15
    case send = 16
    case authorize = 17
    case authorizeAfter = 18
    case approvals = 19
    case approval = 20
    case approve = 21
    case decline = 22
    case setPIN = 23
    case changePIN = 24
    case removePIN = 25
    case resetPIN = 26
    case replaceBiometricKey = 27
    case devices = 28
    case rename = 29
    case remove = 30
    case revoke = 31
    case signOut = 32
    case forgetRecentAuthentication = 33
    case useVault = 34
    case readSecret = 35
    case saveSecret = 36
    case deleteSecret = 37
    case containsSecret = 38
    case deleteVault = 39
    case seal = 40
    case openSealed = 41
    case diagnostics = 42
    case changePassword = 43
    case removeBiometricKey = 44
    case declineBiometrics = 45
    case requireStrongerRung = 46
    case prefer = 47
    case shouldOfferBiometrics = 48
    case answerBiometricOffer = 49
    case lockNow = 50
}

/// Answers with more to come.
typealias AppNewsSink = @Sendable (BridgeWriter) -> Void

/// What an operation does once its request has been read. It returns the fields of the last answer.
typealias AppWork = @Sendable (_ news: @escaping AppNewsSink) async throws(Failure) -> BridgeWriter
