extension Failure.Code {
    /// This platform keeps no vaults.
    public static let noVault = Self("noVault", recovery: .report)
    /// The unlock is over, and what it gave can no longer be used: open the vault again.
    public static let vaultClosed = Self("vaultClosed", recovery: .retry)
    /// Sealed bytes are not what this vault sealed under that name: damaged, cut, exchanged, an older revision, or from elsewhere.
    public static let notAuthentic = Self("notAuthentic", recovery: .report)
    /// More bytes than a vault takes.
    public static let tooLarge = Self("tooLarge", recovery: .report)
}
