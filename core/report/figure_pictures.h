// The plots of figures as files for a paper: what is asked for, and what came of it.
#pragma once

#include <filesystem>
#include <string>

namespace kvantage::inline report {

struct FigurePictures {
  std::filesystem::path file;  // its ending, svg, pdf or png, is the format
  bool page_wide = false;      // 178 mm instead of a column's 85
};

struct WrittenPicture {
  std::filesystem::path file;
  std::string model;  // the result's setting "model name"; empty: it has none
  std::string table;  // title of the table that is drawn
};

}  // namespace kvantage::inline report
