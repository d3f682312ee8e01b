import Testing

@testable import ThumbturnLinuxLab

struct SyntheticFingerTests {
    @Test("the same seed and number give the same image, and another number gives another image")
    func seeded() {
        let finger = SyntheticFinger(seed: 7)
        #expect(finger.scan(3) == SyntheticFinger(seed: 7).scan(3))
        #expect(finger.scan(3) != finger.scan(4))
        #expect(finger.scan(3) != SyntheticFinger(seed: 8).scan(3))
        #expect(finger.scan(-1) != finger.scan(1))
    }

    @Test("a scan has ridges and valleys, and a blank one has neither")
    func contrast() {
        let scan = SyntheticFinger(seed: 1).scan(0)
        let dark = scan.pixels.count { $0 < 90 }
        #expect(scan.pixels.count == scan.width * scan.height)
        #expect(dark > scan.pixels.count / 5 && dark < scan.pixels.count / 2)
        #expect(FingerImage.blank.pixels.allSatisfy { $0 == 255 })
    }
}
