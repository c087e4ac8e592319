// The program among hostile files and in hostile surroundings: streams that are closed or full, signals, inputs that
// never end, names that drive terminals. One printable sentence, the right exit status, nothing left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/run.h"
#include "support/support.h"

namespace cutis {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::IsEmpty;
using testing::Not;

/// Exit status of the program with the caller's own redirections.
int status_of(const std::string& arguments_and_redirections) {
  const int status = std::system((std::string(CUTIS_PROGRAM) + " " + arguments_and_redirections).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator{}));
}

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// One triangle, which has no clip: verbs that play one warn.
const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

void expect_one_printable_line(const std::string& err, const std::string& what) {
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << what << "\n" << err;
  EXPECT_TRUE(std::ranges::all_of(err, [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= ' '; }))
      << what << "\n"
      << err;
}

// ---- streams ----

TEST(Streams, AClosedOrFullStderrDoesNotMatter) {
  const TemporaryFolder folder;
  write(folder.file("a.obj"), kTriangle);
  const std::string render = "render " + folder.file("a.obj") + " --methods lbs --size 32x32 -o ";
  const Result said = run(render + folder.file("said.png"));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  ASSERT_THAT(said.err, HasSubstr("warning"));
  for (const std::string stream : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(status_of(render + folder.file("b.png") + " >/dev/null " + stream), 0) << stream;
    // With stderr closed the picture would get its number, and the warning would go into the picture.
    EXPECT_EQ(read_all(folder.file("b.png")), read_all(folder.file("said.png"))) << stream;
    EXPECT_EQ(status_of("info absent.glb >/dev/null " + stream), 1) << stream;
    EXPECT_EQ(status_of("dance >/dev/null " + stream), 2) << stream;
  }
}

TEST(Streams, ALostDocumentIsAnError) {
  const TemporaryFolder folder;
  for (const std::string stream : {">/dev/full", ">&-"})
    for (const std::string arguments : {"info builtin:cylinder --json ", "info builtin:cylinder ", "--help "}) {
      EXPECT_EQ(status_of(arguments + stream + " 2>" + folder.file("err")), 1) << arguments << stream;
      const std::string err = read_all(folder.file("err"));
      EXPECT_THAT(err, HasSubstr("cutis: stdout: could not be written"));
      expect_one_printable_line(err, arguments + stream);
    }
  EXPECT_EQ(status_of("info builtin:cylinder --json >&- 2>&-"), 1);
}

/// Starts the program with its output to `out_fd` and its messages to a file.
pid_t start(const std::vector<std::string>& arguments, int out_fd, const std::string& err) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::vector<char*> argv;
  std::string program = CUTIS_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int err_fd = ::open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (out_fd < 0) out_fd = ::open("/dev/null", O_WRONLY);
  ::dup2(out_fd, STDOUT_FILENO);
  ::dup2(err_fd, STDERR_FILENO);
  ::execv(program.c_str(), argv.data());
  std::_Exit(127);
}

TEST(Streams, AReaderThatGoesAwayEndsItWithoutAWord) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const pid_t child = start({"info", "builtin:cylinder", "--json"}, ends[1], folder.file("err"));
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) << status;
  EXPECT_THAT(read_all(folder.file("err")), IsEmpty());
}

// ---- signals ----

/// Waits until the child has begun to write, sends the signals one after the other, and gives its status.
int interrupted(const std::vector<std::string>& arguments, const TemporaryFolder& folder, std::vector<int> signals) {
  const TemporaryFolder beside;
  const pid_t child = start(arguments, -1, beside.file("err"));
  const auto begin = std::chrono::steady_clock::now();
  while (files_in(folder) == 0 && std::chrono::steady_clock::now() - begin < 20s) std::this_thread::sleep_for(2ms);
  EXPECT_GT(files_in(folder), 0U) << "nothing to interrupt; " << read_all(beside.file("err"));
  for (const int signal : signals) {
    ::kill(child, signal);
    std::this_thread::sleep_for(20ms);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(Signals, LeaveNoUnfinishedFileAndTheirOwnStatus) {
  const struct {
    std::string output, frames;
    std::vector<int> signals;
  } cases[] = {{"a.usda", "200000", {SIGINT}},
               {"a.obj", "200000", {SIGTERM, SIGTERM}},
               {"a.pc2", "200000", {SIGHUP, SIGHUP}},
               {"a.glb", "4000", {SIGINT, SIGINT}}};
  for (const auto& [output, frames, signals] : cases) {
    const TemporaryFolder folder;
    const int status = interrupted({"animate", "builtin:cylinder", "--clip", "bend", "--method", "lbs", "--frames",
                                    frames, "-o", folder.file(output)},
                                   folder, signals);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signals.front()) << output << " " << status;
    EXPECT_EQ(files_in(folder), 0U) << output;
  }
}

TEST(Signals, KilledRunsAreTidiedUpByTheNextOne) {
  const TemporaryFolder folder;
  const int status = interrupted({"animate", "builtin:cylinder", "--clip", "bend", "--method", "lbs", "--frames",
                                  "200000", "-o", folder.file("a.obj")},
                                 folder, {SIGKILL});
  EXPECT_TRUE(WIFSIGNALED(status));
  ASSERT_GT(files_in(folder), 0U);
  ASSERT_EQ(run("animate builtin:cylinder --method lbs --frames 1 -o " + folder.file("a.pc2")).exit_code, 0);
  EXPECT_EQ(files_in(folder), 1U);
}

// ---- inputs ----

TEST(Inputs, ThatNeverEndAreRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string animate = "animate builtin:cylinder --method lbs --frames 1 -o " + folder.file("out.pc2") + " ";
  const struct {
    std::string extension, before;
  } kinds[] = {{"glb", "info "},
               {"gltf", "info "},
               {"obj", "info "},
               {"ply", "info "},
               {"off", "info "},
               {"fbx", "info "},
               {"dae", "info "},
               {"bvh", "info "},
               {"c3d", "info "},
               {"trc", "info "},
               {"bvh", animate + "--bvh "},
               {"json", animate + "--spheres "},
               {"json", animate + "--sphere-model "},
               {"json", animate + "-p "},
               {"json", "operators --kind contact -o x.png --profile "},
               {"json", "compare "},
               {"json", "markers builtin:cylinder -o x.glb --take "}};
  for (const auto& [extension, before] : kinds) {
    const std::string pipe = folder.file("pipe." + extension), sparse = folder.file("sparse." + extension),
                      device = folder.file("zero." + extension), inside = folder.file("folder." + extension);
    if (::mkfifo(pipe.c_str(), 0600) == 0) {
      write(sparse, "");
      std::filesystem::resize_file(sparse, std::uintmax_t{1} << 40U);
      std::filesystem::create_symlink("/dev/zero", device);
      std::filesystem::create_directory(inside);
    }
    const std::string after = before == "compare " ? " " + sparse : "";
    for (const auto& [name, says] : {std::pair{pipe, "a pipe"}, std::pair{device, "a device"},
                                     std::pair{inside, "is a folder"}, std::pair{sparse, "--max-memory"}}) {
      const Result r = run(before + name + after);
      EXPECT_EQ(r.exit_code, 1) << before << name;
      EXPECT_THAT(r.err, AllOf(HasSubstr(name), HasSubstr(says))) << before << name;
      expect_one_printable_line(r.err, before + name);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.pc2")));
}

TEST(Inputs, AreBoundedByMaxMemory) {
  const TemporaryFolder folder;
  write(folder.file("a.obj"), kTriangle);
  std::filesystem::resize_file(folder.file("a.obj"), std::uintmax_t{100} << 20U);
  const Result refused = run("info --max-memory 64M " + folder.file("a.obj"));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("100 MB"), HasSubstr("64 MB"), HasSubstr("--max-memory")));
  EXPECT_EQ(run("info --max-memory 512M builtin:cylinder").exit_code, 0);
  for (const char* wrong : {"0", "many", "1K", "-4G"})
    EXPECT_EQ(run(std::string("info builtin:cylinder --max-memory ") + wrong).exit_code, 2) << wrong;
}

TEST(Inputs, OfMoreVerticesThanLetThroughAreRefused) {
  const TemporaryFolder folder;
  write(folder.file("a.obj"), kTriangle);
  EXPECT_EQ(run("info --max-vertices 3 " + folder.file("a.obj")).exit_code, 0);
  for (const std::string& file : {folder.file("a.obj"), std::string("builtin:cylinder")}) {
    const Result refused = run("info --max-vertices 2 " + file);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(file), HasSubstr("at most 2 are let through")));
    expect_one_printable_line(refused.err, file);
  }
}

/// A glTF of a triangle whose POSITION claims `count` elements of a view that has three; `sparse`: none of them stored.
std::string claiming(const std::string& count, bool sparse) {
  const std::string data = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
  return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":)"
         R"({"POSITION":0}}]}],"buffers":[{"byteLength":36,"uri":")" +
         data +
         R"("}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"componentType":5126,"type":"VEC3","count":)" +
         count + (sparse ? "" : R"(,"bufferView":0)") + "}]}";
}

TEST(Inputs, GltfThatClaimsMoreThanItHoldsIsRefusedInLittleMemory) {
  const TemporaryFolder folder;
  write(folder.file("good.gltf"), claiming("3", false));
  EXPECT_EQ(run("info --max-memory 64M " + folder.file("good.gltf")).exit_code, 0);
  for (const bool sparse : {false, true})
    for (const std::string count : {"400000000", "4294967295", "4294967296", "9007199254740991", "1e300"}) {
      write(folder.file("bomb.gltf"), claiming(count, sparse));
      const Result r = run("info --max-memory 64M " + folder.file("bomb.gltf"));
      EXPECT_EQ(r.exit_code, 1) << count << sparse;
      expect_one_printable_line(r.err, count);
    }
  for (const std::string uri : {"../secret.bin", "/etc/passwd", "file:///etc/passwd", "http://localhost/a.bin",
                                "..%2Fsecret.bin", "link/secret.bin"}) {
    std::filesystem::create_directory(folder.file("in"));
    write(folder.file("secret.bin"), std::string(36, 'x'));
    std::error_code there;
    std::filesystem::create_directory_symlink("..", folder.file("in/link"), there);
    std::string text = claiming("3", false);
    text.replace(text.find("data:"), text.find("\"}],\"bufferViews") - text.find("data:"), uri);
    write(folder.file("in/a.gltf"), text);
    const Result r = run("info " + folder.file("in/a.gltf"));
    EXPECT_EQ(r.exit_code, 1) << uri << r.out;
    expect_one_printable_line(r.err, uri);
  }
}

// ---- sentences ----

TEST(Sentences, AboutDamagedJsonAreOurs) {
  const TemporaryFolder folder;
  const std::string file = folder.file("bad.json"), glb = folder.file("bad.gltf");
  write(file, "{\"spheres\": [\n \x1b[31m\xff oops\n");
  write(glb, "{\"asset\": {\"version\": \"2.0\x1b[31m\xff\n");
  const std::string animate = "animate builtin:cylinder --method lbs --frames 1 -o " + folder.file("out.pc2") + " ";
  for (const std::string& arguments :
       {animate + "--spheres " + file, animate + "-p " + file, "compare " + file + " " + file,
        "markers builtin:cylinder -o " + folder.file("x.glb") + " --take " + file,
        "operators --kind contact -o " + folder.file("x.png") + " --profile " + file}) {
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 1) << arguments;
    EXPECT_THAT(r.err, AllOf(HasSubstr("is not JSON: line 2, column 2: expected a value, found '\\x1b'"),
                             Not(HasSubstr("exception"))))
        << arguments;
    expect_one_printable_line(r.err, arguments);
  }
  const Result r = run("info " + glb);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("its JSON is damaged: line 1, column 27: a control character inside a text (\\x1b)"));
  expect_one_printable_line(r.err, glb);
}

TEST(Sentences, ShowNamesThatWouldDriveATerminal) {
  const TemporaryFolder folder;
  const std::string evil = "\x1b[2J\xe9\n";
  write(folder.file("a.bvh"),
        "HIERARCHY\nROOT hip\x1b[2J\xe9" + std::string(3000, 'x') +
            "\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1\n");
  const Result info = run("info " + folder.file("a.bvh"));
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("hip\\x1b[2J\\xe9xxx"), HasSubstr("[...]"), Not(HasSubstr("\x1b"))));
  EXPECT_LT(info.out.size(), 400U);
  // The name of a file, in an error and as an option.
  const Result error = run("info '" + folder.file("gone" + evil + ".glb") + "'");
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_THAT(error.err, HasSubstr("gone\\x1b[2J\\xe9\\x0a.glb"));
  expect_one_printable_line(error.err, "error");
  const Result usage = run("'dance" + evil + "'");
  EXPECT_EQ(usage.exit_code, 2);
  expect_one_printable_line(usage.err, "usage");
}

// ---- numbers ----

TEST(Numbers, BeyondAllReasonAreRefusedInASentence) {
  const TemporaryFolder folder;
  write(folder.file("far.obj"), "v 0 0 0\nv 1e16 0 0\nv 0 1 0\nf 1 2 3\n");
  const Result refused = run("info " + folder.file("far.obj"));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("scale the character down"));
  write(folder.file("away.obj"), "v 1e7 0 0\nv 10000001 0 0\nv 1e7 1 0\nf 1 2 3\n");
  const Result warned = run("info " + folder.file("away.obj"));
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_THAT(warned.out, HasSubstr("away from the origin"));
  write(folder.file("gone.obj"), "v 1e14 0 0\nv 1e14 1 0\nv 1e14 0 1\nf 1 2 3\n");
  const Result gone = run("info " + folder.file("gone.obj"));
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_THAT(gone.err, HasSubstr("move it nearer"));
  write(folder.file("fast.bvh"),
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: "
        "2\nFrame Time: 1e-320\n1\n2\n");
  const Result fast = run("info " + folder.file("fast.bvh"));
  EXPECT_EQ(fast.exit_code, 1);
  EXPECT_THAT(fast.err, HasSubstr("frame time"));
}

TEST(Numbers, ThatAreNotFiniteNeverReachAReport) {
  const TemporaryFolder folder;
  write(folder.file("large.obj"), "v 0 0 0\nv 1e15 0 0\nv 0 1e15 0\nv 0 0 1e15\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  const Result info = run("info " + folder.file("large.obj"));
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const Result as_json = run("info --json " + folder.file("large.obj"));
  for (const std::string& text : {info.out, as_json.out})
    EXPECT_THAT(text, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf ")), Not(HasSubstr("inf,"))));
  EXPECT_TRUE(json::accept(as_json.out));
}

}  // namespace
}  // namespace cutis
