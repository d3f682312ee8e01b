#if Server
import ThumbturnCore
import ThumbturnMessages

extension Limits {
    /// Every bound with its figure, in the words and in the order of docs/limits.md.
    package static let table: [(name: String, figure: String)] = {
        let (settings, throttle) = (ApprovalSettings(), ThrottleLimits.standard)
        let rows: [(name: String, figure: String)] = [
            ("body of a request", bytes(body)),
            ("header fields of a request", count(headerFields)),
            ("one header field", bytes(headerField)),
            ("all header fields of a request", bytes(header)),
            ("depth of JSON", count(StrictJSON.maximumDepth)),
            ("members of a JSON object", count(StrictJSON.maximumMembers)),
            ("combining marks in a row", count(StreamSafeText.longestRun)),
            ("name of an account", bytes(accountName)),
            ("password", bytes(Passwords.maximumBytes)),
            ("one-time code", bytes(oneTimeCode)),
            ("recovery code", bytes(recoveryCode)),
            ("name of a device", "\(deviceName) characters, \(bytes(deviceNameBytes))"),
            ("transaction", bytes(ApprovalTransaction.largest)),
            ("whole request, from its first byte to its last", time(request)),
            ("sending an answer", time(request)),
            ("silence of a connection", time(silence)),
            ("connections in all", count(connections)),
            ("connections of an address", count(connectionsOfAddress)),
            ("connections that are turned away at a time", count(turnedAway)),
            ("time to turn a connection away", time(turningAway)),
            ("files kept free of connections", count(reservedFiles)),
            ("`Retry-After` where no better time is known", time(retryAfter)),

            ("passwords that wait or are hashed", count(passwordQueue)),
            ("passwords of a sender that wait or are hashed", count(passwordsOfSender)),
            ("passwords hashed at a time", count(passwordThreads)),
            ("requests in a transaction", count(batch)),
            ("readers of the database", count(readers)),
            ("connections to PostgreSQL for DPoP proofs", count(provers)),
            ("requests that wait for a connection to PostgreSQL", count(readsInLine)),
            ("an answer of PostgreSQL", time(databaseAnswer)),
            ("runs of a transaction in PostgreSQL", count(transactionTries)),
            ("DPoP proofs that are remembered", count(dpopProofs)),
            ("keys in the cache", "2 × \(recentKeys)"),
            ("devices in the memory of sessions", "2 × \(recentDevices)"),
            ("devices in the memory of rates", "2 × \(recentDevices)"),
            ("notices in a round of deliveries", count(noticesInARound)),
            ("policy file", bytes(StepUpTable.largestFile)),
            (
                "unlock policies",
                "\(bytes(UnlockPolicyFile.largest)), \(PolicyDocument.mostPolicies) names, and "
                    + "\(bytes(UnlockPolicyFile.mostBytesOfPolicies)) with all numbers written out"
            ),
            ("counters of networks", count(networkCounters)),
            ("counters of names", count(names)),

            ("devices of an account", count(devices)),
            ("enrolments of an account with full credentials", "\(enrolmentsInADay) in 24 h"),
            ("enrolments that an account's devices vouch for", "\(vouchedInADay) in 24 h"),
            ("keys of a device", count(KeyKind.allCases.count)),
            ("key changes of a device", "\(keyChangesInADay) in 24 h"),
            ("plain clients of an account", count(EnrolledPlainKey.mostOfAnAccount)),
            ("proofs of a device", "\(proofsOfDevice) in a minute"),
            ("sign-in sessions of a device", count(sessions)),
            ("visits of an account", count(visits)),
            ("step-ups of a device", count(stepUps)),
            ("notices of one kind of an account", count(noticesOfKind)),
            ("equal notices are joined for", time(noticesJoined)),
            ("time between two deliveries to an account", time(noticeSpacing)),
            ("deliveries of a notice", count(noticeTries)),
            ("age of a notice", time(noticeAge)),
            ("wrong sign-ins in a row", "\(throttle.freeInARow), then waits, \(throttle.mostInARow) at most"),
            ("wrong attempts of an address", rate(throttle.addressBurst, throttle.addressRefill)),
            ("wrong attempts of all addresses", rate(throttle.globalBurst, throttle.globalRefill)),

            ("requests of a back end", "as registered, up to \(requestsOfBackEnd) in a minute"),
            ("open approvals of a back end for an account", count(settings.openPerAccount)),
            ("approvals of a back end", rate(approvalsOfCreator.burst, approvalsOfCreator.interval)),
            (
                "approvals of a back end for an account",
                rate(approvalsOfCreatorAndAccount.burst, approvalsOfCreatorAndAccount.interval)
            ),
            ("lifetime of an approval", time(settings.longestLifetime)),
            ("ended approvals of a back end for an account", count(endedApprovals)),
            ("age of an ended approval", time(endedApprovalAge)),

            ("body of a batch", bytes(TelemetryBatch.largest)),
            ("unlocks of a batch", count(TelemetryBatch.mostUnlocks)),
            ("events of an unlock", count(UnlockReport.mostEvents)),
            ("batches that are read at a time", count(telemetryAtOnce)),
            ("batches of an address that are read at a time", count(telemetryAtOnceOfNetwork)),
            ("batches of a device", "\(telemetryOfDevice) in a minute"),
            ("batches of a write key", "\(telemetryOfKey) in a minute"),
            ("batches of an address", "\(telemetryOfNetwork) in a minute"),
            ("unlocks that wait to be counted", count(telemetryWaiting)),
            ("time between two transactions of unlocks", time(telemetrySpacing)),
            ("cells in a transaction of unlocks", count(telemetryRoundCells)),
            ("unlocks in a transaction", count(telemetryRoundUnlocks)),
            ("age of an unlock that counts", time(telemetryAge)),
            ("an unlock ahead of the server's clock", time(telemetryAhead)),
            ("cells of a day", count(telemetryCells)),
            ("cells of a day that write keys begin", count(telemetryCellsOfKeys)),
            ("cells of a day that a device begins", count(telemetryCellsOfDevice)),
            ("cells of a day that an address with write keys begins", count(telemetryCellsOfNetwork)),
            ("age of a batch that is known", time(telemetryBatchAge)),
            ("batches that are known", count(telemetryBatches)),
        ]
        return rows
    }()

    private static func count(_ number: Int) -> String { "\(number)" }

    private static func bytes(_ count: Int) -> String {
        count >= 1024 && count.isMultiple(of: 1024) ? "\(count / 1024) KiB" : "\(count) bytes"
    }

    private static func time(_ time: Duration) -> String {
        let seconds = time.components.seconds
        guard seconds > 0 else { return "\(Int64(time / .milliseconds(1))) ms" }
        if seconds > 24 * 3600, seconds.isMultiple(of: 24 * 3600) { return "\(seconds / (24 * 3600)) days" }
        return seconds.isMultiple(of: 3600) ? "\(seconds / 3600) h" : "\(seconds) s"
    }

    private static func rate(_ burst: Int, _ interval: Duration) -> String { "\(burst), then 1 each \(time(interval))" }
}
#endif
