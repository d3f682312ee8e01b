package com.thumbturn.fake;

import java.util.Arrays;

/** The commands of {@link FakeAndroid#tell}: a word and its arguments, separated by spaces. */
final class FakeCommands {
    private FakeCommands() {}

    static String run(FakeAndroid android, String command) {
        String[] words = command.split(" ");
        String argument = words.length > 1 ? words[1] : "";
        switch (words[0]) {
            case "advance" -> android.main.advance(Long.parseLong(argument));
            case "settle" -> android.main.settle();
            case "script" -> android.script(command.substring("script ".length()).split(", "));
            case "match", "fail", "help", "error", "negative", "credential", "silence", "cancel-throws", "stays" ->
                    android.main.run(() -> prompt(android).step(command));
            case "late-match" -> android.main.run(() -> android.last.match());
            case "late-error" -> android.main.run(() -> android.last.error(Integer.parseInt(argument)));
            case "on-screen" -> {
                return Integer.toString(android.onScreen.size());
            }
            case "shown" -> {
                return Integer.toString(android.promptsShown);
            }
            case "title" -> {
                return prompt(android).title.toString();
            }
            case "negative-text" -> {
                return String.valueOf(prompt(android).negative);
            }
            case "enrol" -> android.sensor.enrol();
            case "remove-fingers" -> android.sensor.removeAllFingers();
            case "remove-lock" -> android.sensor.removeScreenLock();
            case "sensor" -> android.sensor.strength = FakeSensor.Strength.valueOf(argument.toUpperCase(java.util.Locale.ROOT));
            case "fingers" -> android.sensor.enrolled = Integer.parseInt(argument);
            case "secure" -> android.sensor.secure = argument.equals("yes");
            case "trouble" -> android.sensor.trouble = Integer.parseInt(argument);
            case "locked" -> android.locked = argument.equals("yes");
            case "unlocked-since-boot" -> android.unlockedSinceBoot = argument.equals("yes");
            case "touch-exploration" -> android.touchExploration = argument.equals("yes");
            case "importance" -> android.importance = Integer.parseInt(argument);
            case "feature" -> android.features.add(argument);
            case "no-feature" -> android.features.remove(argument);
            case "strongbox" ->
                    android.keystore.strongBox = FakeKeystore.StrongBox.valueOf(argument.toUpperCase(java.util.Locale.ROOT));
            case "attestation" -> android.keystore.attests = argument.equals("yes");
            case "sensor-late" -> android.keystore.sensorLate = argument.equals("yes");
            case "keystore-busy" -> android.keystore.busy = argument.equals("yes");
            case "keystore-trouble" ->
                    android.keystore.trouble = FakeKeystore.Trouble.valueOf(argument.toUpperCase(java.util.Locale.ROOT));
            case "restore-backup" -> android.keystore.clear();
            case "attestation-root" -> {
                return java.util.HexFormat.of().formatHex(FakeCertificates.root());
            }
            case "keys" -> {
                return String.join("\n", android.keystore.aliases());
            }
            case "open" -> android.activities.open();
            case "front" -> android.activities.toFront();
            case "resume" -> android.activities.resume();
            case "pause" -> android.activities.pause();
            case "back" -> android.activities.toBack();
            case "rotate" -> android.activities.rotate();
            case "crash" -> {
                return String.valueOf(android.main.crash);
            }
            default -> throw new IllegalArgumentException("no such command: " + Arrays.toString(words));
        }
        return "";
    }

    private static FakePrompt prompt(FakeAndroid android) {
        FakePrompt prompt = android.prompt();
        if (prompt == null) {
            throw new IllegalStateException("no prompt is on the screen");
        }
        return prompt;
    }
}
