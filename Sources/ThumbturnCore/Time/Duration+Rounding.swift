extension Duration {
    /// Whole milliseconds, rounded towards zero.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded up, so that a wait of this length is long enough. Never negative.
    package var wholeSecondsRoundedUp: Int64 {
        max(components.attoseconds > 0 ? components.seconds + 1 : components.seconds, 0)
    }
}
