package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.equal;

import com.thumbturn.fake.FakeSensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class FactsTests {
    /** The five answers about biometrics, null as null. */
    private static List<Long> biometrics(Phone phone) {
        Message.Reader facts = phone.done(1, new Message.Writer());
        for (int field = 0; field < 5; field++) {
            facts.bytes();
        }
        List<Long> answers = new ArrayList<>();
        for (int field = 0; field < 5; field++) {
            byte[] bytes = facts.bytesOrNull();
            answers.add(bytes == null ? null : java.nio.ByteBuffer.wrap(bytes).getLong());
        }
        return answers;
    }

    private static List<Long> list(Integer... values) {
        return Arrays.stream(values).map(value -> value == null ? null : Long.valueOf(value)).toList();
    }

    @Test("each level answers the questions that it has")
    void levels() {
        for (int level : Phone.LEVELS) {
            Phone phone = new Phone(level);
            equal(
                    switch (level) {
                        case 28 -> list(null, null, null, 1, 1);
                        case 29 -> list(0, null, null, null, null);
                        default -> list(0, 0, 0, null, null);
                    },
                    biometrics(phone));
        }
    }

    @Test("a weak sensor only, none, none enrolled, busy hardware and no screen lock are told apart from level 30 on")
    void sensors() {
        Phone phone = new Phone(30);
        phone.android.sensor.strength = FakeSensor.Strength.WEAK;
        equal(list(12, 0, 0, null, null), biometrics(phone));
        phone.android.sensor.strength = FakeSensor.Strength.NONE;
        equal(list(12, 12, 0, null, null), biometrics(phone));
        phone.android.sensor.strength = FakeSensor.Strength.STRONG;
        phone.android.sensor.trouble = 1;
        equal(list(1, 1, 0, null, null), biometrics(phone));
        phone.android.sensor.trouble = 0;
        phone.android.sensor.removeScreenLock();
        equal(list(11, 11, 11, null, null), biometrics(phone));
    }

    @Test("level 29 cannot tell a weak sensor, level 28 a phone without a reader")
    void oldLevels() {
        Phone phone = new Phone(29);
        phone.android.sensor.strength = FakeSensor.Strength.WEAK;
        equal(list(0, null, null, null, null), biometrics(phone));
        phone = new Phone(28);
        phone.android.features.clear();
        equal(list(null, null, null, null, null), biometrics(phone));
    }

    @Test("the facts stand in the contract's order")
    void order() {
        Phone phone = new Phone(28);
        phone.android.features.add("android.hardware.biometrics.iris");
        phone.android.locked = true;
        phone.android.touchExploration = true;
        Message.Reader facts = phone.done(1, new Message.Writer());
        equal(28L, facts.number());
        equal("Maker", facts.text());
        equal("Model", facts.text());
        equal("16", facts.text());
        equal("2026-11-05", facts.text());
        for (int field = 0; field < 3; field++) {
            equal(null, facts.bytesOrNull());
        }
        equal(true, facts.flag());
        equal(true, facts.flag());
        equal(true, facts.flag()); // secure
        equal(true, facts.flag()); // locked
        equal(true, facts.flag()); // unlocked since boot
        equal(true, facts.flag()); // fingerprint
        equal(false, facts.flag()); // face
        equal(true, facts.flag()); // iris
        equal("com.example.bank", facts.text());
        Phone.check(facts.text().endsWith("/no_backup"), "the path of files without backup");
        equal(java.util.Locale.getDefault().toLanguageTag(), facts.text());
        equal(true, facts.flag());
        equal(phone.android.main.time(), facts.number());
        facts.end();
    }

    @Test("facts come while the main thread is busy")
    void notOnMain() {
        Phone phone = new Phone(36);
        phone.android.main.run(() -> phone.done(1, new Message.Writer()));
    }
}
