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

    /** Plays the callbacks and expects exactly these phases, in their order. */
    private void plays(long id, String events, int... phases) {
        phone.android.activities.play(events.split(", "));
        for (int expected : phases) {
            phase(id, expected);
        }
        phone.silent(id);
    }

    /** Begins to hear the phases, with one activity in front. */
    private long inFront() {
        phone.android.activities.play("created one", "started one", "resumed one");
        long id = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        return id;
    }

    private static final String AWAY = "paused one changing, stopped one changing, ";

    @Test("a rotation is no change, in whatever order the old activity goes and its successor comes")
    void rotationOrders() {
        String[] rows = {
            AWAY + "destroyed one changing, created two, started two, resumed two",
            AWAY + "created two, destroyed one changing, started two, resumed two",
            AWAY + "created two, started two, destroyed one changing, resumed two",
            AWAY + "created two, started two, resumed two, destroyed one changing",
            "paused one changing, created two, started two, resumed two, stopped one changing, destroyed one changing",
        };
        for (String row : rows) {
            PhasesTests test = new PhasesTests();
            long id = test.inFront();
            test.plays(id, row);
            test.plays(id, "paused two", Phases.INACTIVE);
            test.plays(id, "stopped two", Phases.BACKGROUND);
            test.plays(id, "destroyed two");
        }
    }

    @Test("a successor that finishes before it is in front leaves the app in the background")
    void successorFinishes() {
        String[] rows = {
            AWAY + "destroyed one changing, created two, destroyed two",
            AWAY + "created two, destroyed one changing, destroyed two",
            AWAY + "destroyed one changing, created two, stopped two, destroyed two",
            AWAY + "destroyed one changing, created two, started two, stopped two, destroyed two",
            // Its stop may be left out.
            AWAY + "destroyed one changing, created two, started two, destroyed two",
            // Turned again, and only then finished.
            AWAY + "destroyed one changing, created two, started two, stopped two changing, destroyed two changing, created three, "
                    + "destroyed three",
        };
        for (String row : rows) {
            PhasesTests test = new PhasesTests();
            long id = test.inFront();
            test.plays(id, row, Phases.BACKGROUND);
            test.plays(id, "created four, started four, resumed four", Phases.INACTIVE, Phases.FRONT);
        }
    }

    @Test("a rotation of an activity while another is in front is no change, and hides none")
    void rotationBehind() {
        String[] rows = {
            "stopped one changing, destroyed one changing, created three, started three",
            // Its successor passes through the front on its way.
            "stopped one changing, destroyed one changing, created three, started three, resumed three, paused three",
            "stopped one changing, destroyed one changing, created three, destroyed three",
            // Both are turned.
            "paused two changing, stopped two changing, destroyed two changing, stopped one changing, destroyed one changing, "
                    + "created three, started three, created two, started two, resumed two",
            "stopped one changing, destroyed one changing, created three, started three, paused two changing, stopped two changing, "
                    + "destroyed two changing, created two, started two, resumed two",
        };
        for (String row : rows) {
            PhasesTests test = new PhasesTests();
            long id = test.inFront();
            test.plays(id, "paused one", Phases.INACTIVE);
            test.plays(id, "created two, started two, resumed two", Phases.FRONT);
            test.plays(id, row);
            test.plays(id, "paused two", Phases.INACTIVE);
        }
    }

    @Test("while an activity is in front, the end of one behind it is no change, whether it was met or not")
    void endBehind() {
        long id = phone.begin(13, new Message.Writer());
        phase(id, Phases.FRONT);
        plays(id, "destroyed one");
        plays(id, "started two, resumed two", Phases.INACTIVE, Phases.FRONT);
        plays(id, "started three, destroyed three, destroyed four changing");
        plays(id, "paused two", Phases.INACTIVE);
        plays(id, "destroyed two", Phases.BACKGROUND);
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
