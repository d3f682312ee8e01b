#if Server
package import ThumbturnCore

extension UnlockTally {
    /// One of the numbers of a tally.
    ///
    /// Its place is for good, because it is stored: new counters take free places, and no place is used for something else.
    package struct Counter: Hashable, Sendable {
        let place: Int

        private init(_ place: Int) { self.place = place }

        /// How many places there are.
        static let places = 448

        // MARK: Unlocks

        /// All unlocks.
        package static let unlocks = Counter(0)
        /// Unlocks in which at least one prompt appeared.
        package static let prompted = Counter(1)
        /// Unlocks in which the sensor was asked.
        package static let sensorAsked = Counter(2)
        /// Unlocks in which the hint was shown.
        package static let hinted = Counter(3)
        /// Unlocks that ended without success and without a cancel: by a failure, or with the full sign-in that did not come to
        /// its end.
        package static let endedOtherwise = Counter(4)
        /// Unlocks that the sensor opened at its first attempt, without a mismatch before.
        package static let firstAttempt = Counter(5)
        /// Unlocks that fell back to another rung at least once after the sensor was asked.
        package static let fellBack = Counter(6)
        /// Unlocks that fell back because the sensor's time was over, or whose sensor prompt timed out.
        package static let timedOut = Counter(7)
        /// Unlocks that were cancelled by the person or abandoned after such a timeout.
        package static let leftAfterTimeout = Counter(8)
        /// Unlocks that were cancelled by the person or abandoned after the hint.
        package static let leftAfterHint = Counter(9)
        /// Unlocks with a lockout.
        package static let withLockout = Counter(10)
        /// Unlocks that found a dead key.
        package static let withDeadKey = Counter(11)
        /// Unlocks that were abandoned: the app was closed or killed.
        package static let abandoned = Counter(12)
        /// Unlocks that were cancelled.
        package static let cancelled = Counter(13)
        /// Unlocks in which the sensor was asked and that met at least one mismatch there.
        package static let withMismatch = Counter(14)

        // MARK: Answers

        /// Matches of the sensor.
        package static let sensorMatches = Counter(16)
        /// Mismatches of the sensor.
        package static let sensorMismatches = Counter(17)
        /// Wrong PINs, and wrong answers to other rungs below the sensor.
        package static let otherMismatches = Counter(18)

        // MARK: By rung

        /// Unlocks that a rung opened.
        package static func authenticated(_ rung: Rung) -> Counter { Counter(20 + place(of: rung)) }
        /// Prompts that a rung asked for.
        package static func promptsShown(_ rung: Rung) -> Counter { Counter(24 + place(of: rung)) }
        /// Prompts of a rung that appeared.
        package static func promptsAppeared(_ rung: Rung) -> Counter { Counter(28 + place(of: rung)) }

        // MARK: By kind

        /// Lockouts of this kind.
        package static func lockouts(_ lockout: Lockout) -> Counter {
            switch lockout {
            case .temporary: Counter(32)
            case .untilPasscode: Counter(33)
            case .untilStrongerRung: Counter(34)
            }
        }

        /// Keys that were found to be gone for good, by the reason.
        package static func deadKeys(_ loss: KeyLoss) -> Counter {
            switch loss {
            case .enrolmentChanged: Counter(40)
            case .passcodeRemoved: Counter(41)
            case .wrongPINs: Counter(42)
            case .restored: Counter(43)
            case .unknown: Counter(44)
            }
        }

        /// Readings without a verdict.
        package static func poorReadings(_ reading: PoorReading) -> Counter {
            switch reading {
            case .tooShort: Counter(48)
            case .notCentered: Counter(49)
            case .removeAndRetry: Counter(50)
            case .tooPoor: Counter(51)
            }
        }

        /// Unlocks that were abandoned in this phase.
        package static func abandoned(in phase: UnlockFlow.Phase) -> Counter {
            switch phase {
            case .beforeThePrompt: Counter(56)
            case .firstAttempt: Counter(57)
            case .retry: Counter(58)
            case .hinted: Counter(59)
            case .signing: Counter(60)
            case .away: Counter(61)
            case .ended: Counter(62)
            case .fallback(let rung): Counter(64 + place(of: rung))
            }
        }

        // MARK: Mismatches before an end

        /// The most mismatches that are told apart; more count as this.
        package static let mostMismatches = 15

        /// Unlocks that the sensor opened after this many mismatches of it.
        package static func successesAfter(mismatches: Int) -> Counter { Counter(72 + min(max(mismatches, 0), mostMismatches)) }
        /// Unlocks that left the sensor for another rung, after it was asked, with this many mismatches of it.
        package static func fallbacksAfter(mismatches: Int) -> Counter { Counter(88 + min(max(mismatches, 0), mostMismatches)) }

        // MARK: By code

        /// Unlocks that were cancelled, by who did.
        package static func cancelled(_ code: Failure.Code) -> Counter { Counter(104 + place(of: code)) }
        /// Answers of prompts and keys that were failures, by their code.
        package static func failedAnswers(_ code: Failure.Code) -> Counter { Counter(168 + place(of: code)) }
        /// Fallbacks because a rung could not be asked, by the reason.
        package static func skips(_ code: Failure.Code) -> Counter { Counter(232 + place(of: code)) }

        // MARK: Fallbacks

        /// Why a fallback happened, without the code of a skip.
        package enum Cause: String, CaseIterable, Sendable {
            case timeout, mismatches, lockedOut, keyInvalidated, choice, skipped

            /// The cause of a trigger.
            package init(_ trigger: Trigger) {
                self =
                    switch trigger {
                    case .timeout: .timeout
                    case .mismatches: .mismatches
                    case .lockedOut: .lockedOut
                    case .keyInvalidated: .keyInvalidated
                    case .choice: .choice
                    case .skipped: .skipped
                    }
            }

            /// The cause in words.
            package var words: String {
                switch self {
                case .timeout: "timeout"
                case .mismatches: "mismatches"
                case .lockedOut: "lockout"
                case .keyInvalidated: "dead key"
                case .choice: "the person's choice"
                case .skipped: "rung not available"
                }
            }

            fileprivate var place: Int {
                switch self {
                case .timeout: 0
                case .mismatches: 1
                case .lockedOut: 2
                case .keyInvalidated: 3
                case .choice: 4
                case .skipped: 5
                }
            }
        }

        /// Fallbacks from one rung to another.
        package static func fallbacks(from: Rung, to: Rung, because cause: Cause) -> Counter {
            Counter(304 + (place(of: from) * 4 + place(of: to)) * 8 + cause.place)
        }

        // MARK: Offers

        /// Offers of biometrics with this answer.
        package static func offers(_ answer: BiometricOffer.Answer) -> Counter {
            switch answer {
            case .setUp: Counter(432)
            case .notNow: Counter(433)
            case .never: Counter(434)
            }
        }

        // MARK: Places

        private static func place(of rung: Rung) -> Int {
            switch rung {
            case .biometric: 0
            case .devicePasscode: 1
            case .appPIN: 2
            case .fullCredentials: 3
            }
        }

        private static func place(of code: Failure.Code) -> Int {
            // Few, and the most frequent first.
            for (index, known) in codes.enumerated() where known == code { return index + 1 }
            return 0
        }

        /// The codes in the order of their places, from 1; 0 is for a code that has none. New codes come last, and 63 have room.
        static let codes: [Failure.Code] = [
            .notMatched, .cancelledByUser, .cancelledBySystem, .timedOut, .lockedOut, .cancelledByApp, .superseded, .paused,
            .biometryNotEnrolled, .biometryAbsent, .biometryForbidden, .biometryUnavailable, .biometryTooWeak,
            .biometryUnconfirmed,
            .passcodeNotSet, .permissionDenied, .keyInvalidated, .notEnrolled, .notYetReadable, .alreadyEnrolled, .anotherAccount,
            .refused, .coolingOff, .sessionOver, .unreachable, .unexpectedAnswer, .approvalOver, .foreignAnswer,
            .providerMismatch,
            .policyDenies, .reasonMissing, .insecureServer, .platform, .noVault, .vaultClosed, .notAuthentic, .tooLarge,
            .pinEasilyGuessed,
        ]
    }
}
#endif
