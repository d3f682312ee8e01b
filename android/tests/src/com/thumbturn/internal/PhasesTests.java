package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.equal;

import com.thumbturn.fake.FakeAndroid;

final class PhasesTests {
    private final Phone phone = new Phone(36);

    private void phase(long id, int expected) {
        equal((long) expected, phone.next(id).news().number());
    }

    @Test("the present phase comes first, then each change")
    void changes() {
        FakeAndroid.tell("open");
        long id = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        FakeAndroid.tell("pause");
        phase(id, Phases.INACTIVE);
        FakeAndroid.tell("resume");
        phase(id, Phases.FRONT);
        FakeAndroid.tell("back");
        phase(id, Phases.INACTIVE);
        phase(id, Phases.BACKGROUND);
        FakeAndroid.tell("front");
        phase(id, Phases.INACTIVE);
        phase(id, Phases.FRONT);
        phone.silent(id);
    }

    @Test("a rotation is no change")
    void rotation() {
        FakeAndroid.tell("open");
        long id = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        FakeAndroid.tell("rotate");
        phone.silent(id);
        FakeAndroid.tell("pause");
        phase(id, Phases.INACTIVE);
        FakeAndroid.tell("rotate");
        phase(id, Phases.FRONT);
        FakeAndroid.tell("back");
        phase(id, Phases.INACTIVE);
        phase(id, Phases.BACKGROUND);
    }

    @Test("installed while an activity is in front, the process tells the phase, and its pause is known")
    void lateInstall() {
        int[][] rows = {{100, Phases.FRONT}, {200, Phases.INACTIVE}, {125, Phases.BACKGROUND}, {400, Phases.BACKGROUND}};
        for (int[] row : rows) {
            phone.android.importance = row[0];
            Bridge.resetForTests(phone);
            Bridge.install(phone.android.application);
            long id = phone.begin(13, new Message.Writer());
            phase(id, row[1]);
            phone.cancel(id);
            phone.next(id).done().end();
        }
        phone.android.importance = 100;
        Bridge.resetForTests(phone);
        Bridge.install(phone.android.application);
        long id = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        FakeAndroid.tell("back");
        phase(id, Phases.INACTIVE);
        phase(id, Phases.BACKGROUND);
    }

    @Test("cancelled, the phases end with one last answer and no more news")
    void cancelled() {
        FakeAndroid.tell("open");
        long id = phone.begin(13, new Message.Writer());
        long other = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        phase(other, Phases.FRONT);
        phone.cancel(id);
        phone.next(id).done().end();
        FakeAndroid.tell("pause");
        phone.silent(id);
        phase(other, Phases.INACTIVE);
    }
}
