#if Server
import ThumbturnCore

extension Population {
    /// The default population's file, byte by byte as it was fitted and frozen. Its SHA-256 stands in docs/simulator.md and in a test:
    /// who changes it changes what every figure is compared with.
    package static let defaultFile = Array(
        """
        {
          "name": "one fixed prompt",
          "sessions_per_person": 40,
          "between": {"median": 7200000, "spread": 1.5},
          "groups": [
            {"name": "read at once", "share": 0.8, "answer": {"median": 1300, "spread": 0.45}, "people": 0.25, "mismatch": 0.02,
              "trouble": 0.1282, "stays_in_trouble": 0.3},
            {"name": "hard to read", "share": 0.2, "answer": {"median": 2600, "spread": 0.6}, "people": 0.3, "mismatch": 0.1,
              "trouble": 0.3206, "stays_in_trouble": 0.5}
          ],
          "trouble": {"silent": 0.2386, "answer": {"median": 21455, "spread": 0.57}, "mismatch": 0.25},
          "patience": {"median": 33586, "spread": 0.5},
          "choices": {
            "leaves_after_cancel": 0.3, "other_way_after_cancel": 0.5, "leaves_at_timeout": 0.4262,
            "leaves_after_mismatches": 0.3, "other_way_at_once": 0.0573, "other_way_after_mismatch": 0.2
          },
          "hint": {"taken": 0.4, "reaction": {"median": 1800, "spread": 0.4}},
          "pin": {"time": {"median": 4000, "spread": 0.35}, "wrong": 0.04, "forgotten": 0.02},
          "passcode": {"time": {"median": 3500, "spread": 0.35}, "wrong": 0.03, "forgotten": 0.002},
          "sign_in": {"time": {"median": 30000, "spread": 0.5}, "given_up": 0.4},
          "strangers": 0.002
        }

        """.utf8)

    /// The default population: fitted to the published figures of one app's fixed prompt; see `Article`.
    package static let `default`: Population = {
        do throws(JSONError) {
            return try Population(json: defaultFile)
        } catch {
            preconditionFailure("the default population is sound, and not: \(error)")
        }
    }()
}
#endif
